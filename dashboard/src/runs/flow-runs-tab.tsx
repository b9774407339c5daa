/** Flow runs: their history, the table, and the bulk actions. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { useMay } from '../api/access.ts';
import { useMore } from '../api/list.ts';
import { DataTable } from '../components/data-table.tsx';
import { Histogram } from '../components/histogram.tsx';
import { Moment } from '../components/moment.tsx';
import { Failed, Skeleton } from '../components/states-of-loading.tsx';
import { usePreferences } from '../preferences/preferences.ts';
import { BulkActions } from './bulk-actions.tsx';
import { runFilters } from './filters.ts';
import { intervalsOf } from './history.ts';
import { NoRuns } from './no-runs.tsx';
import { PAGE_SIZE, runsQuery } from './queries.ts';
import { runColumns } from './run-columns.tsx';
import { cleared, isFiltered } from './run-filters.tsx';
import { isByStart, searchOf, sortingOf } from './runs-order.ts';
import type { RunsSearch } from './runs-search.ts';
import { useFreshRuns } from './use-fresh-runs.ts';

interface Props {
  readonly search: RunsSearch;
  readonly change: (part: RunsSearch) => void;
}

export function FlowRunsTab({ search, change }: Props) {
  const navigate = useNavigate();
  const { runColumns: shown } = usePreferences();
  const mayChange = useMay('flow_runs:write');
  const query = useInfiniteQuery(runsQuery(search));
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const pages = query.data?.pages;
  const rows = useMemo(() => pages?.flatMap(({ runs }) => runs) ?? [], [pages]);
  const first = pages?.[0];
  const intervals = useMemo(() => intervalsOf(first?.history), [first?.history]);
  const more = useMore(query);
  // The server ends a page early after reading many runs that do not match.
  const isShort = rows.length < PAGE_SIZE && !query.isError;
  useEffect(() => {
    if (isShort) more();
  }, [isShort, more]);
  useFreshRuns(search);
  const ids = [...selected];
  const count = first?.count ?? undefined;
  return (
    <>
      <div className="px-6 pt-2 max-sm:px-4">
        <Histogram intervals={intervals} height={48} onBrush={(start, end) => change({ span: `${start}/${end}` })} />
      </div>
      {mayChange && ids.length > 0 ? (
        <BulkActions
          ids={ids}
          isWholePage={ids.length >= rows.length}
          matchingCount={count}
          matching={runFilters(search)}
          clear={() => setSelected(new Set())}
        />
      ) : (
        <p role="status" className="tabular flex h-7 items-center px-6 text-xs text-quiet max-sm:px-4">
          <CountOfRuns count={count} since={first?.counted_since} />
        </p>
      )}
      {query.isPending ? (
        <div className="px-6">
          <Skeleton rows={16} />
        </div>
      ) : query.isError && rows.length === 0 ? (
        <Failed error={query.error} retry={() => void query.refetch()} />
      ) : rows.length === 0 && query.hasNextPage ? (
        <p role="status" className="px-6 py-4 text-quiet max-sm:px-4">
          No match yet.{' '}
          {isByStart(search) ? (
            <>
              Searched back to <Moment time={pages?.at(-1)?.next?.start} absolute />.
            </>
          ) : (
            'Still searching.'
          )}
        </p>
      ) : rows.length === 0 ? (
        <NoRuns isFiltered={isFiltered(search)} clear={() => change(cleared)} />
      ) : (
        <DataTable
          label="Flow runs"
          columns={runColumns}
          rows={rows}
          idOf={({ id }) => id}
          shown={shown}
          sorting={sortingOf(search)}
          onSort={(sorting) => change({ sort: searchOf(sorting) })}
          selected={selected}
          {...(mayChange ? { onSelect: setSelected } : {})}
          onOpen={({ id }) => void navigate({ to: '/runs/flow-run/$id', params: { id } })}
          onEnd={more}
        />
      )}
    </>
  );
}

interface CountProps {
  readonly count: number | undefined;
  /** Older runs are not counted. */
  readonly since: string | null | undefined;
}

function CountOfRuns({ count, since }: CountProps) {
  if (count === undefined) return ' ';
  const runs = `${count.toLocaleString('en')} ${count === 1 ? 'run' : 'runs'}`;
  return since ? (
    <>
      {runs} since <Moment time={since} absolute />, older ones not counted
    </>
  ) : (
    runs
  );
}
