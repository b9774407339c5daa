/** The list of servers: every MCP server that the person may see, with its state and its use. */

import { Link, linkOptions } from '@tanstack/react-router';
import { Plug, Plus } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { Organization } from '../api/access.ts';
import { useRows } from '../api/list.ts';
import { ConnectDialog } from '../catalog/connect-dialog.tsx';
import { buttonClass, IconButton } from '../components/button.tsx';
import { Empty } from '../components/states-of-loading.tsx';
import { numberColumn, ownersColumn, textColumn } from '../components/table/columns.tsx';
import type { Column } from '../components/table/data-table.tsx';
import { ListPage } from '../components/table/list-page.tsx';
import { Copy } from '../components/text/copy.tsx';
import { failedOf, milliseconds } from '../design/figures.ts';
import { InOrganization } from '../organizations/in-organization.tsx';
import { OutcomeCount } from './outcome-count.tsx';
import { type CatalogItem, catalogQuery } from './queries.ts';
import { ServerStateLabel } from './server-state.tsx';
import { stateOf } from './state-of-server.ts';

export function ServersPage() {
  return (
    <InOrganization title="MCP servers">{(organization) => <Catalog organization={organization} />}</InOrganization>
  );
}

const pageOf = ({ server }: CatalogItem) => linkOptions({ to: '/servers/$server', params: { server: server.slug } });

const columnsOf = (connect: (item: CatalogItem) => void): readonly Column<CatalogItem>[] => [
  {
    id: 'name',
    title: 'Server',
    width: 'minmax(9rem, 1.6fr)',
    line: 1,
    cell: (item) => (
      <Link
        {...pageOf(item)}
        className="font-medium hover:underline max-sm:inline-block max-sm:py-1"
        title={item.server.description || undefined}
      >
        {item.server.name}
      </Link>
    ),
  },
  { id: 'state', title: 'State', width: '9rem', line: 1, cell: (item) => <ServerStateLabel {...item} /> },
  textColumn('why', 'Why', (item) => stateOf(item).why, { width: 'minmax(6rem, 1.4fr)', from: 1120 }),
  {
    id: 'kind',
    title: 'Kind',
    width: '4.5rem',
    from: 700,
    cell: ({ server }) => (server.kind === 'builtin' ? 'built in' : server.kind),
  },
  {
    id: 'address',
    title: 'Address',
    width: 'minmax(11rem, 2fr)',
    from: 860,
    cell: ({ server }) => (
      <span className="flex items-center gap-1">
        <span className="truncate font-mono text-xs text-soft" title={server.servingUrl}>
          {new URL(server.servingUrl).pathname}
        </span>
        <Copy text={server.servingUrl} what={`address of ${server.name}`} />
      </span>
    ),
  },
  numberColumn('calls', 'Calls, 24 h', ({ figures }) => figures?.requests, {
    width: '5.5rem',
    line: 2,
    phone: ({ figures }) => counted(figures?.requests),
  }),
  outcomeColumn('failed', 'Failed', ({ figures }) => figures && failedOf(figures)),
  outcomeColumn('denied', 'Denied', ({ figures }) => figures?.denied),
  numberColumn('p95', 'p95', ({ figures }) => figures && milliseconds(figures.p95Microseconds), {
    width: '4.5rem',
    line: 2,
  }),
  {
    id: 'access',
    title: 'Members',
    width: '6rem',
    from: 960,
    cell: ({ server }) =>
      server.visibility === 'concealed' && !server.defaultRole ? 'concealed' : (server.defaultRole ?? 'by grant'),
  },
  ownersColumn('minmax(5rem, .8fr)', 1280),
  {
    id: 'connect',
    title: 'Connect',
    width: '4rem',
    line: 1,
    cell: (item) =>
      item.server.role === null ? null : (
        <IconButton label={`Connect a client to ${item.server.name}`} onClick={() => connect(item)}>
          <Plug size={14} />
        </IconButton>
      ),
  },
];

function counted(calls: number | undefined): string {
  return calls === undefined ? '' : `${calls.toLocaleString('en')} ${calls === 1 ? 'call' : 'calls'} in 24 h`;
}

function outcomeColumn(
  kind: 'failed' | 'denied',
  title: string,
  number: (item: CatalogItem) => number | null | undefined,
): Column<CatalogItem> {
  const cell = (item: CatalogItem) => {
    const value = number(item);
    return typeof value === 'number' ? <OutcomeCount server={item.server.slug} number={value} kind={kind} /> : null;
  };
  return numberColumn(kind, title, cell, { width: '4.5rem', from: 620 });
}

function Catalog({ organization }: { readonly organization: Organization }) {
  const list = useRows(catalogQuery(organization.slug), ({ items }) => items);
  const [connected, connect] = useState<CatalogItem>();
  const columns = useMemo(() => columnsOf(connect), []);
  const mayAdd = organization.role === 'admin';
  const add = (kind?: 'external' | 'hosted') => (
    <Link to="/servers/new" search={{ kind }} className={buttonClass('primary')}>
      <Plus size={14} />
      New server
    </Link>
  );
  return (
    <ListPage
      title="MCP servers"
      actions={mayAdd && list.rows.length > 0 ? add() : null}
      list={list}
      columns={columns}
      idOf={({ server }) => server.id}
      pageOf={pageOf}
      empty={
        <Empty
          title="No MCP server yet"
          action={mayAdd ? add() : <p className="text-soft">An administrator of the organization can add one.</p>}
        >
          A server is one that runs elsewhere, or one that Signalbox builds and runs. Clients reach both at one address,
          and a policy decides who may use which tool.
        </Empty>
      }
    >
      {connected ? (
        <ConnectDialog org={organization.slug} server={connected.server} onClose={() => connect(undefined)} />
      ) : null}
    </ListPage>
  );
}
