/** The list of servers: every MCP server that the person may see, with its state and its use. */

import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useMemo } from 'react';
import type { Organization } from '../api/access.ts';
import { useMore } from '../api/list.ts';
import { buttonClass } from '../components/button.tsx';
import { Copy } from '../components/copy.tsx';
import { type Column, DataTable } from '../components/data-table.tsx';
import { PageHead } from '../components/page.tsx';
import { Empty, Failed, Skeleton } from '../components/states-of-loading.tsx';
import { count, errorsOf, milliseconds } from '../design/figures.ts';
import { InOrganization } from '../organizations/in-organization.tsx';
import { type CatalogItem, catalogQuery } from './queries.ts';
import { ServerStateLabel } from './server-state.tsx';
import { stateOf } from './state-of-server.ts';

export function ServersPage() {
  return (
    <InOrganization title="MCP servers">{(organization) => <Catalog organization={organization} />}</InOrganization>
  );
}

const columns: readonly Column<CatalogItem>[] = [
  {
    id: 'name',
    title: 'Server',
    width: 'minmax(9rem, 1.6fr)',
    line: 1,
    cell: ({ server }) => (
      <Link
        to="/servers/$server"
        params={{ server: server.slug }}
        className="font-medium hover:underline"
        title={server.description || undefined}
      >
        {server.name}
      </Link>
    ),
  },
  { id: 'state', title: 'State', width: '9rem', line: 1, cell: (item) => <ServerStateLabel {...item} /> },
  {
    id: 'why',
    title: 'Why',
    width: 'minmax(6rem, 1.4fr)',
    from: 1120,
    cell: (item) => {
      const { why } = stateOf(item);
      return (
        <span className="text-soft" title={why}>
          {why}
        </span>
      );
    },
  },
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
    width: 'minmax(10rem, 1.6fr)',
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
  {
    id: 'calls',
    title: 'Calls, 24 h',
    width: '5.5rem',
    align: 'right',
    line: 2,
    cell: ({ figures }) => (figures ? count(figures.requests) : null),
  },
  {
    id: 'errors',
    title: 'Errors',
    width: '4rem',
    align: 'right',
    from: 620,
    cell: ({ figures, server }) =>
      figures && errorsOf(figures) > 0 ? (
        <Link
          to="/requests"
          search={{ server: server.slug, errors: true }}
          className="text-failed-text hover:underline"
        >
          {count(errorsOf(figures))}
        </Link>
      ) : figures ? (
        '0'
      ) : null,
  },
  {
    id: 'p95',
    title: 'p95',
    width: '4.5rem',
    align: 'right',
    line: 2,
    cell: ({ figures }) => (figures ? milliseconds(figures.p95Microseconds) : null),
  },
  {
    id: 'access',
    title: 'Members',
    width: '6rem',
    from: 960,
    cell: ({ server }) =>
      server.visibility === 'concealed' && !server.defaultRole ? 'concealed' : (server.defaultRole ?? 'by grant'),
  },
  {
    id: 'owner',
    title: 'Owner',
    width: 'minmax(5rem, .8fr)',
    from: 1280,
    cell: ({ owners }) => <span title={owners.join(', ')}>{owners.join(', ') || '–'}</span>,
  },
];

function Catalog({ organization }: { readonly organization: Organization }) {
  const navigate = useNavigate();
  const query = useInfiniteQuery(catalogQuery(organization.slug));
  const pages = query.data?.pages;
  const rows = useMemo(() => pages?.flatMap(({ items }) => items) ?? [], [pages]);
  const more = useMore(query);
  const mayAdd = organization.role === 'admin';
  const add = (kind?: 'external' | 'hosted') => (
    <Link to="/servers/new" search={{ kind }} className={buttonClass('primary')}>
      <Plus size={14} />
      Add a server
    </Link>
  );
  return (
    <>
      <PageHead title="MCP servers" actions={mayAdd && rows.length > 0 ? add() : null} />
      {query.isPending ? (
        <div className="px-6">
          <Skeleton rows={8} />
        </div>
      ) : query.isError && rows.length === 0 ? (
        <Failed error={query.error} retry={() => void query.refetch()} />
      ) : rows.length === 0 ? (
        <Empty
          title="No MCP server yet"
          action={mayAdd ? add() : <p className="text-soft">An administrator of the organization can add one.</p>}
        >
          A server is one that runs elsewhere, or one that Signalbox builds and runs. Clients reach both at one address,
          and a policy decides who may use which tool.
        </Empty>
      ) : (
        <DataTable
          label="MCP servers"
          columns={columns}
          rows={rows}
          idOf={({ server }) => server.id}
          onOpen={({ server }) => void navigate({ to: '/servers/$server', params: { server: server.slug } })}
          onEnd={more}
        />
      )}
    </>
  );
}
