/**
 * All requests to the MCP servers that the person edits: the callers, capabilities and outcomes, and their number over
 * time.
 */
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo } from 'react';
import type { Organization } from '../api/access.ts';
import { gathered, live } from '../api/live.ts';
import { download } from '../components/download.ts';
import { FilteredList } from '../components/list/filtered-list.tsx';
import { ListActions } from '../components/list/list-actions.tsx';
import { useFilters } from '../components/list/use-filters.ts';
import { PageHead } from '../components/page.tsx';
import { Empty } from '../components/states-of-loading.tsx';
import { readPast } from '../design/span.ts';
import { InOrganization } from '../organizations/in-organization.tsx';
import { outcomeSeries, requestIntervals } from './outcomes.tsx';
import { exportAddress, requestsQuery, requestValues, type ServerRequest } from './queries.ts';
import { requestColumns } from './request-columns.tsx';
import { RequestDialog } from './request-dialog.tsx';
import { type RequestsSearch, renamed, requestFields } from './request-fields.ts';
import { UsageTables } from './usage-tables.tsx';

const route = getRouteApi('/requests');

export function RequestsPage() {
  return <InOrganization title="Requests">{(organization) => <Log organization={organization} />}</InOrganization>;
}

/** A longer list is only read again from time to time, because each change would read all of its pages. */
const SHORT_LIST_PAGES = 2;

function Log({ organization: { slug: org } }: { readonly organization: Organization }) {
  const given = route.useSearch();
  const search = useMemo(() => renamed(given), [given]);
  const navigate = useNavigate({ from: '/requests' });
  const change = useCallback(
    (part: RequestsSearch) => void navigate({ search: (old) => ({ ...renamed(old), ...part }), resetScroll: false }),
    [navigate],
  );
  const filters = useFilters(requestFields, search, change);
  const { where } = filters;
  const query = useInfiniteQuery(requestsQuery(org, { where, span: search.span }));
  const pages = query.data?.pages;
  useFreshRequests(query.refetch, (pages?.length ?? 0) <= SHORT_LIST_PAGES);
  const first = pages?.[0];
  const rows = useMemo(() => pages?.flatMap(({ requests }) => requests.items) ?? [], [pages]);
  const intervals = useMemo(() => requestIntervals(first?.summary?.histogram.items), [first]);
  const names = useMemo(
    () =>
      new Map(
        first?.servers.flatMap(({ id, slug, name }) => [
          [id, name],
          [slug, name],
        ]),
      ),
    [first],
  );
  const callers = useMemo(
    () => new Map([...(first?.summary?.owners ?? []), ...rows.map(callerOf)].map(({ key, name }) => [key, name])),
    [first, rows],
  );
  const label = useCallback(
    (_field: string, value: string) => names.get(value) ?? callers.get(value) ?? undefined,
    [names, callers],
  );
  const open = useCallback((request: ServerRequest) => change({ open: idOf(request) }), [change]);
  const columns = useMemo(() => requestColumns(names, open), [names, open]);
  const total = intervals.reduce((sum, { counts }) => sum + Object.values(counts).reduce<number>(add, 0), 0);
  return (
    <>
      <PageHead
        title="Requests"
        actions={
          <ListActions
            name="requests"
            columns={columns}
            onExport={(format) =>
              download(exportAddress(org, { where, span: search.span }, format), `requests-${org}.${format}`)
            }
          />
        }
      />
      <FilteredList
        name="requests"
        label="Requests"
        nouns={['request', 'requests']}
        since={first?.summary?.countedSince}
        filters={{ ...filters, label }}
        values={useMemo(() => requestValues(org, search.span), [org, search.span])}
        time={{ span: search.span, onChange: (span) => change({ span }), times: (now) => readPast(search.span, now) }}
        query={query}
        rows={rows}
        idOf={idOf}
        columns={columns}
        onOpen={open}
        intervals={intervals}
        series={outcomeSeries}
        count={first ? total : undefined}
        isHeld
        empty={
          first?.servers.length === 0 ? (
            <Empty title="No server whose requests you may see">
              Editors of a server see its requests. Administrators of the organization see all of them.
            </Empty>
          ) : (
            <Empty title="No requests in this time">
              Requests appear here as soon as a client calls one of the servers. Arguments and results are not stored.
            </Empty>
          )
        }
      >
        {first?.summary && total > 0 ? (
          <UsageTables
            summary={first.summary}
            isOneServer={where.some(({ field, not, values }) => field === 'server' && !not && values.length === 1)}
            change={({ actor, server, capability }) =>
              filters.add({
                conditions: [...only('caller', actor), ...only('server', server), ...only('tool', capability)],
              })
            }
          />
        ) : null}
      </FilteredList>
      {search.open ? (
        <RequestDialog org={org} open={search.open} names={names} onClose={() => change({ open: undefined })} />
      ) : null}
    </>
  );
}

const callerOf = ({ actorId, actorName }: ServerRequest) => ({ key: actorId, name: actorName });
const idOf = ({ serverId, id }: ServerRequest) => `${serverId}/${id}`;

function only(field: string, value: string | undefined) {
  return value === undefined ? [] : [{ field, values: [value] }];
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
