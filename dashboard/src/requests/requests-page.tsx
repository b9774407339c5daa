/**
 * All requests to the MCP servers that the person edits: the callers, capabilities and outcomes, and their number over
 * time.
 */

import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo } from 'react';
import type { Organization } from '../api/access.ts';
import { useMore } from '../api/list.ts';
import { gathered, live } from '../api/live.ts';
import { Button } from '../components/button.tsx';
import { type Column, DataTable } from '../components/data-table.tsx';
import { Histogram } from '../components/histogram.tsx';
import { Moment } from '../components/moment.tsx';
import { PageHead } from '../components/page.tsx';
import { Empty, Failed, Skeleton } from '../components/states-of-loading.tsx';
import { bytes, count, milliseconds } from '../design/figures.ts';
import { InOrganization } from '../organizations/in-organization.tsx';
import type { RequestsSearch } from './filters.ts';
import { OutcomeLabel, outcomeSeries, reasonText, requestIntervals } from './outcomes.tsx';
import { requestsQuery, type ServerRequest } from './queries.ts';
import { RequestDialog } from './request-dialog.tsx';
import { RequestFilters } from './request-filters.tsx';
import { UsageTables } from './usage-tables.tsx';

const route = getRouteApi('/requests');

export function RequestsPage() {
  return <InOrganization title="Requests">{(organization) => <Log organization={organization} />}</InOrganization>;
}

/** A longer list is only read again from time to time, because each change would read all of its pages. */
const SHORT_LIST_PAGES = 2;

const noFilters: RequestsSearch = {
  server: undefined,
  actor: undefined,
  capability: undefined,
  method: undefined,
  client: undefined,
  outcome: undefined,
  errors: undefined,
};

function Log({ organization }: { readonly organization: Organization }) {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/requests' });
  const query = useInfiniteQuery(requestsQuery(organization.slug, search));
  const pages = query.data?.pages;
  useFreshRequests(query.refetch, (pages?.length ?? 0) <= SHORT_LIST_PAGES);
  const first = pages?.[0];
  const rows = useMemo(() => pages?.flatMap(({ requests }) => requests.items) ?? [], [pages]);
  const intervals = useMemo(() => requestIntervals(first?.summary?.histogram.items), [first]);
  const more = useMore(query);
  const change = useCallback(
    (part: RequestsSearch) =>
      void navigate({ search: (old) => ({ ...old, ...part }), replace: true, resetScroll: false }),
    [navigate],
  );
  const servers = first?.servers ?? [];
  const names = useMemo(() => new Map(first?.servers.map(({ id, name }) => [id, name])), [first]);
  const columns = useMemo(() => columnsOf(names, change), [names, change]);
  const isFiltered = Object.keys(noFilters).some((name) => search[name as keyof RequestsSearch] !== undefined);
  const total = intervals.reduce((sum, { counts }) => sum + Object.values(counts).reduce<number>(add, 0), 0);
  return (
    <>
      <PageHead title="Requests" />
      <RequestFilters
        search={search}
        change={change}
        servers={servers}
        actorName={first?.summary?.owners.find(({ key }) => key === search.actor)?.name ?? undefined}
      />
      {query.isError && rows.length === 0 ? (
        <Failed error={query.error} retry={() => void query.refetch()} />
      ) : (
        <>
          <div className="px-6 pt-2 max-sm:px-4">
            <Histogram
              intervals={intervals}
              height={56}
              series={outcomeSeries}
              subject="Requests"
              onBrush={(start, end) => change({ span: `${start}/${end}` })}
            />
          </div>
          <p role="status" className="tabular px-6 pb-2 text-xs text-quiet max-sm:px-4">
            {first ? `${count(total)} ${total === 1 ? 'request' : 'requests'}` : ' '}
          </p>
          {first?.summary && total > 0 ? (
            <UsageTables summary={first.summary} isOneServer={search.server !== undefined} change={change} />
          ) : null}
          {query.isPending ? (
            <div className="px-6">
              <Skeleton rows={12} />
            </div>
          ) : rows.length > 0 ? (
            <DataTable
              label="Requests"
              columns={columns}
              rows={rows}
              idOf={({ serverId, id }) => `${serverId}/${id}`}
              onOpen={({ serverId, id }) => change({ open: `${serverId}/${id}` })}
              onEnd={more}
            />
          ) : isFiltered ? (
            <Empty
              title="No request matches these filters"
              action={<Button onClick={() => change(noFilters)}>Remove the filters</Button>}
            >
              There may be requests in another span of time.
            </Empty>
          ) : servers.length === 0 ? (
            <Empty title="No server whose requests you may see">
              Editors of a server see its requests. Administrators of the organization see all of them.
            </Empty>
          ) : (
            <Empty title="No requests in this time">
              Requests appear here as soon as a client calls one of the servers. Arguments and results are not stored.
            </Empty>
          )}
        </>
      )}
      {search.open ? (
        <RequestDialog
          org={organization.slug}
          open={search.open}
          names={names}
          onClose={() => change({ open: undefined })}
        />
      ) : null}
    </>
  );
}

/** Reads the list again when requests were recorded. */
function useFreshRequests(refetch: () => unknown, isShort: boolean): void {
  useEffect(() => {
    if (!isShort) return undefined;
    const { call, cancel } = gathered(() => void refetch());
    const stop = live.listen(({ type }) => {
      if (type === 'server_request' || type === 'resync') call();
    });
    return () => {
      stop();
      cancel();
    };
  }, [refetch, isShort]);
}

function add(sum: number, value: number | undefined): number {
  return sum + (value ?? 0);
}

function columnsOf(
  names: ReadonlyMap<string, string>,
  change: (part: RequestsSearch) => void,
): readonly Column<ServerRequest>[] {
  const filter = (part: RequestsSearch, text: string) => (
    <button type="button" className="max-w-full truncate hover:underline" onClick={() => change(part)}>
      {text}
    </button>
  );
  return [
    {
      id: 'outcome',
      title: 'Outcome',
      width: '6rem',
      line: 1,
      cell: ({ outcome }) => <OutcomeLabel outcome={outcome} />,
    },
    {
      id: 'capability',
      title: 'Called',
      width: 'minmax(9rem, 1.4fr)',
      line: 1,
      cell: ({ capability, method, serverId, id }) => (
        <button
          type="button"
          className="max-w-full truncate font-mono text-xs font-medium hover:underline"
          onClick={() => change({ open: `${serverId}/${id}` })}
        >
          {capability ?? method ?? 'request'}
        </button>
      ),
    },
    {
      id: 'method',
      title: 'Method',
      width: 'minmax(6rem, .8fr)',
      from: 1180,
      cell: ({ method }) => <span className="font-mono text-xs text-soft">{method}</span>,
    },
    {
      id: 'server',
      title: 'Server',
      width: 'minmax(6rem, .9fr)',
      line: 2,
      cell: ({ serverId }) => filter({ server: serverId }, names.get(serverId) ?? serverId.slice(0, 8)),
    },
    {
      id: 'actor',
      title: 'Who',
      width: 'minmax(7rem, 1fr)',
      from: 700,
      cell: ({ actorId, actorName }) => (actorId ? filter({ actor: actorId }, actorName ?? actorId) : '–'),
    },
    {
      id: 'reason',
      title: 'Why',
      width: 'minmax(7rem, 1.4fr)',
      from: 940,
      cell: ({ reason, status, outcome }) => (
        <span className="text-soft" title={reason}>
          {outcome === 'ok' ? reasonText(reason) : `${status} · ${reasonText(reason)}`}
        </span>
      ),
    },
    {
      id: 'client',
      title: 'Client',
      width: 'minmax(5rem, .8fr)',
      from: 1080,
      cell: ({ clientName }) => <span className="text-soft">{clientName}</span>,
    },
    {
      id: 'size',
      title: 'Size',
      width: '4.5rem',
      align: 'right',
      from: 1280,
      cell: ({ responseBytes }) => bytes(responseBytes),
    },
    {
      id: 'duration',
      title: 'Time',
      width: '4.5rem',
      align: 'right',
      from: 620,
      cell: ({ durationMicroseconds }) => milliseconds(durationMicroseconds),
    },
    { id: 'when', title: 'When', width: '5.5rem', line: 2, cell: ({ occurredAt }) => <Moment time={occurredAt} /> },
  ];
}
