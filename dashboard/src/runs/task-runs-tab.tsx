/** Task runs of all flow runs, newest first. */
import { infiniteQueryOptions, keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { answered, api } from '../api/client.ts';
import { useMore } from '../api/list.ts';
import { read } from '../api/read.ts';
import type { components } from '../api/schema.gen.ts';
import { type Column, DataTable } from '../components/data-table.tsx';
import { Histogram } from '../components/histogram.tsx';
import { Moment } from '../components/moment.tsx';
import { Failed, Skeleton } from '../components/states-of-loading.tsx';
import { StateLabel } from '../design/state-mark.tsx';
import { shortMessage } from '../design/state-message.ts';
import { stateKind } from '../design/states.ts';
import { duration } from '../design/time.ts';
import { spanOf, taskFilters } from './filters.ts';
import { intervalsOf } from './history.ts';
import { NoRuns } from './no-runs.tsx';
import { INTERVALS } from './queries.ts';
import { cleared, isFiltered } from './run-filters.tsx';
import { isByStart, searchOf, sortingOf, sortOf } from './runs-order.ts';
import type { RunsSearch } from './runs-search.ts';

type TaskRun = components['schemas']['TaskRun'];

/** A task run with the name of its flow run. */
interface TaskRow extends TaskRun {
  readonly flow_run_name: string | undefined;
}

const PAGE_SIZE = 100;

function taskRunsQuery(search: RunsSearch) {
  return infiniteQueryOptions({
    queryKey: ['/task_runs/filter', search, 'pages'],
    meta: { watches: ['task_run'] },
    initialPageParam: 0,
    placeholderData: keepPreviousData,
    queryFn: async ({ pageParam: offset, signal }): Promise<TaskRow[]> => {
      const sort = sortOf(search) === 'START_TIME_ASC' ? 'EXPECTED_START_TIME_ASC' : 'EXPECTED_START_TIME_DESC';
      const body = { ...taskFilters(search), sort, limit: PAGE_SIZE, offset } as const;
      const tasks = await answered(api.POST('/task_runs/filter', { body, signal }));
      const ids = [...new Set(tasks.flatMap(({ flow_run_id }) => flow_run_id ?? []))];
      if (ids.length === 0) return tasks.map((task) => ({ ...task, flow_run_name: undefined }));
      const of = { flow_runs: { id: { any_: ids } }, limit: PAGE_SIZE, offset: 0 };
      const runs = await answered(api.POST('/flow_runs/filter', { body: of, signal }));
      const names = new Map(runs.map(({ id, name }) => [id, name]));
      return tasks.map((task) => ({ ...task, flow_run_name: names.get(task.flow_run_id ?? '') }));
    },
    getNextPageParam: (page, _pages, offset) => (page.length === PAGE_SIZE ? offset + PAGE_SIZE : undefined),
  });
}

const columns: readonly Column<TaskRow>[] = [
  {
    id: 'state',
    title: 'State',
    width: '8.5rem',
    line: 1,
    cell: (run) => <StateLabel kind={stateKind(run.state_type, run.state_name)} name={run.state_name ?? null} />,
  },
  {
    id: 'name',
    title: 'Task run',
    width: 'minmax(9rem, 1.2fr)',
    line: 1,
    cell: ({ id, name }) => (
      <Link to="/runs/task-run/$id" params={{ id }} className="font-medium hover:underline">
        {name}
      </Link>
    ),
  },
  {
    id: 'flow-run',
    title: 'Flow run',
    width: 'minmax(8rem, 1fr)',
    line: 2,
    cell: ({ flow_run_id, flow_run_name }) =>
      flow_run_id ? (
        <Link to="/runs/flow-run/$id" params={{ id: flow_run_id }} className="text-soft hover:text-ink hover:underline">
          {flow_run_name ?? 'deleted'}
        </Link>
      ) : (
        <span className="text-quiet">in the background</span>
      ),
  },
  {
    id: 'start',
    title: 'Start',
    sorts: 'descending',
    width: '6rem',
    line: 2,
    cell: (run) => <Moment time={run.start_time ?? run.expected_start_time} />,
  },
  {
    id: 'duration',
    title: 'Duration',
    width: '6rem',
    align: 'right',
    from: 620,
    cell: (run) => (run.start_time ? duration(run.estimated_run_time ?? 0) : null),
  },
  {
    id: 'tries',
    title: 'Tries',
    width: '3rem',
    align: 'right',
    from: 1000,
    cell: ({ run_count = 0 }) => (run_count > 1 ? run_count : null),
  },
  {
    id: 'reason',
    title: 'Reason',
    width: 'minmax(8rem, 2fr)',
    from: 880,
    cell: ({ state, state_type }) => (
      <span className="text-soft" title={state?.message ?? undefined}>
        {state_type === 'COMPLETED' ? null : shortMessage(state?.message)}
      </span>
    ),
  },
];

interface Props {
  readonly search: RunsSearch;
  readonly change: (part: RunsSearch) => void;
}

export function TaskRunsTab({ search, change }: Props) {
  const navigate = useNavigate();
  const query = useInfiniteQuery(taskRunsQuery(search));
  const history = useQuery(
    read.timed(
      '/task_runs/history',
      search,
      () => {
        const { start, end } = spanOf(search);
        const seconds = Math.max(1, Math.ceil((Date.parse(end) - Date.parse(start)) / 1000 / INTERVALS));
        const times = { history_start: start, history_end: end, history_interval_seconds: seconds };
        return { body: { ...times, ...taskFilters(search) } };
      },
      { watches: ['task_run'], placeholderData: keepPreviousData },
    ),
  );
  const rows = useMemo(() => query.data?.pages.flat() ?? [], [query.data]);
  const intervals = useMemo(() => intervalsOf(history.data), [history.data]);
  const count = history.data?.reduce(
    (sum, { states }) => sum + states.reduce((own, { count_runs }) => own + count_runs, 0),
    0,
  );
  const more = useMore(query);
  return (
    <>
      <div className="px-6 pt-2 max-sm:px-4">
        <Histogram intervals={intervals} height={48} onBrush={(start, end) => change({ span: `${start}/${end}` })} />
      </div>
      <p role="status" className="tabular flex h-7 items-center px-6 text-xs text-quiet max-sm:px-4">
        {count === undefined ? ' ' : `${count.toLocaleString('en')} task ${count === 1 ? 'run' : 'runs'}`}
      </p>
      {query.isPending ? (
        <div className="px-6">
          <Skeleton rows={16} />
        </div>
      ) : query.isError && rows.length === 0 ? (
        <Failed error={query.error} retry={() => void query.refetch()} />
      ) : rows.length === 0 ? (
        <NoRuns isFiltered={isFiltered(search)} clear={() => change(cleared)} />
      ) : (
        <DataTable
          label="Task runs"
          columns={columns}
          rows={rows}
          idOf={({ id }) => id}
          {...(isByStart(search) ? { sorting: sortingOf(search) } : {})}
          onSort={(sorting) => change({ sort: searchOf(sorting) })}
          onOpen={({ id }) => void navigate({ to: '/runs/task-run/$id', params: { id } })}
          onEnd={more}
        />
      )}
    </>
  );
}
