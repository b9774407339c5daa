/** The MCP servers that a person may discover, and requests for access to them. */

import { getRouteApi, linkOptions, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { Organization } from '../api/access.ts';
import { useList } from '../api/list.ts';
import { Choice } from '../components/form/form-dialog.tsx';
import { PageHead } from '../components/page.tsx';
import { Empty } from '../components/states-of-loading.tsx';
import { nameColumn, ownersColumn, textColumn } from '../components/table/columns.tsx';
import type { Column } from '../components/table/data-table.tsx';
import { ListTable } from '../components/table/list-table.tsx';
import { Tabs } from '../components/tabs.tsx';
import { InOrganization } from '../organizations/in-organization.tsx';
import type { CatalogSearch } from './catalog-search.ts';
import { type CatalogEntry, catalogQuery, type Kind, kindName, kinds, requestsQuery } from './queries.ts';
import { RequestDialog } from './request-access.tsx';
import { RequestsList } from './requests-list.tsx';

const route = getRouteApi('/catalog');
const pageOf = ({ slug }: CatalogEntry) => linkOptions({ to: '/catalog/$server', params: { server: slug } });
const everyKind: readonly (readonly [Kind | '', string])[] = [['', 'Every kind'], ...kinds];

export function CatalogPage() {
  return <InOrganization title="Catalog">{(organization) => <Page organization={organization} />}</InOrganization>;
}

function Page({ organization }: { readonly organization: Organization }) {
  const { slug: org } = organization;
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/catalog' });
  const change = (part: CatalogSearch) => void navigate({ search: (old) => ({ ...old, ...part }), replace: true });
  const open = useList(requestsQuery(org, { own: false, state: 'open' }));
  const mayDecide = organization.role === 'admin' || open.rows.length > 0 || search.tab === 'decide';
  const requests = (own: boolean) => () => (
    <RequestsList org={org} own={own} state={search.state} onState={(state) => change({ state })} />
  );
  const tabs = [
    { id: 'servers', title: 'Servers', content: () => <Servers org={org} search={search} change={change} /> },
    ...(mayDecide
      ? [{ id: 'decide', title: 'Requests to decide', count: open.rows.length, content: requests(false) }]
      : []),
    { id: 'own', title: 'My requests', content: requests(true) },
  ];
  return (
    <>
      <PageHead title="Catalog" />
      <Tabs
        tabs={tabs}
        value={tabs.some(({ id }) => id === search.tab) ? (search.tab ?? 'servers') : 'servers'}
        onChange={(tab) => change({ tab: tab === 'servers' ? undefined : tab, state: undefined })}
      />
    </>
  );
}

interface ServersProps {
  readonly org: string;
  readonly search: CatalogSearch;
  readonly change: (part: CatalogSearch) => void;
}

function Servers({ org, search, change }: ServersProps) {
  const list = useList(catalogQuery(org, search));
  const [asked, ask] = useState<CatalogEntry>();
  const columns = useMemo(() => columnsOf(ask), []);
  return (
    <div className="-mx-6 max-sm:-mx-4">
      <div className="flex flex-wrap items-center gap-2 px-6 pb-3 max-sm:px-4">
        <input
          type="search"
          data-filter
          aria-label="Name or description"
          placeholder="Name or description"
          className="field w-64"
          maxLength={200}
          value={search.name ?? ''}
          onChange={(event) => change({ name: event.target.value || undefined })}
        />
        <Choice
          label="Kind"
          className="w-36"
          value={search.kind ?? ''}
          choices={everyKind}
          onChange={(kind) => change({ kind: kind || undefined })}
        />
      </div>
      <ListTable
        label="Catalog"
        list={list}
        columns={columns}
        pageOf={pageOf}
        filtered={{ nothing: 'No server', by: { name: search.name, kind: search.kind }, change }}
        empty={
          <Empty title="No MCP server yet">
            Servers that you may use, and those that you can ask for, are listed here.
          </Empty>
        }
      />
      {asked ? <RequestDialog org={org} server={asked} onClose={() => ask(undefined)} /> : null}
    </div>
  );
}

function columnsOf(ask: (entry: CatalogEntry) => void): readonly Column<CatalogEntry>[] {
  return [
    nameColumn('Server', ({ name }) => name, pageOf, { width: 'minmax(9rem, 1fr)' }),
    textColumn('description', 'Description', ({ description }) => description || '–', {
      width: 'minmax(8rem, 2fr)',
      line: 2,
    }),
    { id: 'kind', title: 'Kind', width: '4.5rem', from: 620, cell: ({ kind }) => kindName(kind) },
    ownersColumn('minmax(7rem, .8fr)', 960),
    {
      id: 'access',
      title: 'Your access',
      width: '9rem',
      line: 1,
      cell: (entry) => <Access entry={entry} ask={() => ask(entry)} />,
    },
  ];
}

function Access({ entry, ask }: { readonly entry: CatalogEntry; readonly ask: () => void }) {
  if (entry.role !== null) return entry.role;
  if (entry.requestState === 'open') return <span className="text-soft">requested</span>;
  return (
    <button type="button" className="text-accent hover:underline" onClick={ask}>
      {entry.requestState === 'refused' ? 'Refused, request again' : 'Request access'}
    </button>
  );
}
