/** The audit of the organization: who changed what, from where and when. */
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { Organization } from '../api/access.ts';
import { useList } from '../api/list.ts';
import { Button } from '../components/button.tsx';
import { CodeBlock } from '../components/code-block.tsx';
import { type Column, DataTable } from '../components/data-table.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Choice } from '../components/form-dialog.tsx';
import { ListView } from '../components/list-view.tsx';
import { Menu, MenuItem } from '../components/menu.tsx';
import { Moment } from '../components/moment.tsx';
import { Facts, PageHead } from '../components/page.tsx';
import { Empty } from '../components/states-of-loading.tsx';
import { OrganizationFrame } from '../organizations/organization-frame.tsx';
import type { AuditSearch } from './audit-search.ts';
import { type AuditEntry, auditQuery, exportAddress, spans } from './queries.ts';

const route = getRouteApi('/audit');

/** The first parts of actions, before the dot. */
const groups: readonly (readonly [string, string])[] = [
  ['', 'Every action'],
  ['organization', 'Organization'],
  ['member', 'Members'],
  ['invitation', 'Invitations'],
  ['service_account', 'Service accounts'],
  ['api_key', 'Keys'],
  ['grant', 'Grants'],
  ['workspace', 'Workspaces'],
  ['server', 'MCP servers'],
  ['access_request', 'Requests for access'],
];

export function AuditPage() {
  const { organization: slug } = route.useSearch();
  return (
    <OrganizationFrame title="Audit" organization={slug} isForAdministrators>
      {(organization) => <Audit organization={organization} />}
    </OrganizationFrame>
  );
}

function Audit({ organization: { slug: org, name } }: { readonly organization: Organization }) {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/audit' });
  const { query, rows, more } = useList(auditQuery(org, search));
  const [shown, setShown] = useState<AuditEntry>();
  // The inputs are reset when the filters are removed.
  const [clears, setClears] = useState(0);
  const change = (part: AuditSearch) => void navigate({ search: (old) => ({ ...old, ...part }), replace: true });
  const columns = useMemo(() => columnsOf(setShown), []);
  const isFiltered = [search.actor, search.action, search.target, search.span].some(Boolean);
  const clear = () => {
    change({ actor: undefined, action: undefined, target: undefined, span: undefined });
    setClears(clears + 1);
  };
  const download = (format: 'csv' | 'jsonl') => {
    const link = document.createElement('a');
    link.href = exportAddress(org, search, format);
    link.download = `audit-${org}.${format}`;
    link.click();
  };
  return (
    <>
      <PageHead
        title="Audit"
        trail={<span>{name}</span>}
        actions={
          <Menu
            trigger={
              <Button>
                <Download size={14} />
                Export
              </Button>
            }
          >
            <MenuItem onSelect={() => download('csv')}>As CSV</MenuItem>
            <MenuItem onSelect={() => download('jsonl')}>As JSON lines</MenuItem>
          </Menu>
        }
      />
      <Filters key={clears} search={search} change={change} />
      <ListView
        query={query}
        isEmpty={rows.length === 0}
        empty={
          isFiltered ? (
            <Empty
              title="No entry matches these filters"
              action={<Button onClick={clear}>Remove the filters</Button>}
            />
          ) : (
            <Empty title="Nothing has changed yet">
              Every accepted change of people, keys and servers appears here.
            </Empty>
          )
        }
      >
        <DataTable label="Audit" columns={columns} rows={rows} idOf={({ id }) => id} onOpen={setShown} onEnd={more} />
      </ListView>
      {shown ? <EntryDialog entry={shown} onClose={() => setShown(undefined)} /> : null}
    </>
  );
}

interface FiltersProps {
  readonly search: AuditSearch;
  readonly change: (part: AuditSearch) => void;
}

function Filters({ search, change }: FiltersProps) {
  const known = groups.some(([value]) => value === (search.action ?? ''));
  return (
    <div className="flex flex-wrap items-center gap-2 px-6 pb-2 max-sm:px-4">
      <input
        data-filter
        type="search"
        aria-label="Who, by address, name or id"
        placeholder="Who"
        className="field w-44"
        defaultValue={search.actor}
        onChange={(event) => change({ actor: event.target.value || undefined })}
      />
      <div className="w-40">
        <Choice
          label="Action"
          value={search.action ?? ''}
          choices={known ? groups : [...groups, [search.action ?? '', search.action ?? '']]}
          onChange={(action) => change({ action: action || undefined })}
        />
      </div>
      <input
        type="search"
        aria-label="On what, by name or id"
        placeholder="On what"
        className="field w-44"
        defaultValue={search.target}
        onChange={(event) => change({ target: event.target.value || undefined })}
      />
      <div className="w-36">
        <Choice
          label="Time"
          value={search.span ?? ''}
          choices={spans.map(([value, title]) => [value, title] as const)}
          onChange={(span) => change({ span: span || undefined })}
        />
      </div>
    </div>
  );
}

function columnsOf(show: (entry: AuditEntry) => void): readonly Column<AuditEntry>[] {
  return [
    { id: 'time', title: 'When', width: '7rem', line: 2, cell: ({ occurredAt }) => <Moment time={occurredAt} /> },
    {
      id: 'actor',
      title: 'Who',
      width: 'minmax(9rem, 1fr)',
      line: 1,
      cell: ({ actorName }) => <span className="font-medium">{actorName}</span>,
    },
    {
      id: 'action',
      title: 'What',
      width: 'minmax(9rem, .8fr)',
      line: 1,
      cell: (entry) => (
        <button
          type="button"
          className="block max-w-full truncate font-mono text-xs hover:underline"
          onClick={() => show(entry)}
        >
          {entry.action}
        </button>
      ),
    },
    {
      id: 'target',
      title: 'On what',
      width: 'minmax(9rem, 1.2fr)',
      line: 2,
      cell: ({ targetType, targetName, targetId }) => (
        <>
          <span className="text-quiet">{targetType.replaceAll('_', ' ')}</span> {targetName ?? targetId?.slice(0, 8)}
        </>
      ),
    },
    {
      id: 'details',
      title: 'Details',
      width: 'minmax(8rem, 1.2fr)',
      from: 880,
      cell: ({ details }) => <span className="text-soft">{sentenceOf(details)}</span>,
    },
    {
      id: 'address',
      title: 'From',
      width: '8rem',
      from: 1000,
      cell: ({ address }) => <span className="font-mono text-xs text-soft">{address}</span>,
    },
  ];
}

function sentenceOf(details: AuditEntry['details']): string {
  return Object.entries(details as Record<string, unknown>)
    .filter(([name]) => !name.endsWith('Id'))
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}

function EntryDialog({ entry, onClose }: { readonly entry: AuditEntry; readonly onClose: () => void }) {
  return (
    <Dialog
      isOpen
      onClose={onClose}
      width="wide"
      title={entry.action}
      actions={<Button onClick={onClose}>Close</Button>}
    >
      <Facts
        className="grid grid-cols-2 gap-x-6 gap-y-3 max-sm:grid-cols-1"
        of={{
          When: <Moment time={entry.occurredAt} absolute />,
          From: entry.address ?? 'the machine of the server',
          Who: `${entry.actorType.replaceAll('_', ' ')} ${entry.actorName}`,
          'On what': `${entry.targetType.replaceAll('_', ' ')} ${entry.targetName ?? ''}`,
          'Id of who': entry.actorId ?? '–',
          'Target id': entry.targetId ?? '–',
        }}
      />
      <h3 className="mt-4 mb-1 text-xs text-quiet">Details</h3>
      <CodeBlock label="Details" text={JSON.stringify(entry.details, null, 2)} isWrapped />
    </Dialog>
  );
}
