/** Task runs of all flow runs, newest first. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { FilteredList } from '../../components/list/filtered-list.tsx';
import { useFilters } from '../../components/list/use-filters.ts';
import type { Column } from '../../components/table/data-table.tsx';
import { spanOf } from './filters.ts';
import { NoRuns } from './flow-runs-list.tsx';
import { intervalsOf } from './history.ts';
import { type TaskRunRow, taskRunsQuery, taskRunValues } from './queries.ts';
import {
  durationColumn,
  NamedCell,
  reasonColumn,
  startColumn,
  stateColumn,
  tagsColumn,
  triesColumn,
} from './run-cells.tsx';
import { type RunsSearch, taskRunFields } from './run-fields.ts';
import { isByStart, searchOf, sortingOf } from './runs-order.ts';

export const taskRunColumns: readonly Column<TaskRunRow>[] = [
  stateColumn,
  {
    id: 'name',
    title: 'Task run',
    text: ({ name }) => name,
    extra: 8,
    bounds: [120, 360],
    line: 1,
    isFirst: true,
    cell: ({ id, name }) => (
      <Link to="/runs/task-run/$id" params={{ id }} className="font-medium hover:underline">
        {name}
      </Link>
    ),
  },
  {
    id: 'flow-run',
    title: 'Flow run',
    text: ({ flow_run_name }) => flow_run_name ?? 'in the background',
    extra: 8,
    from: 560,
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
    id: 'flow',
    title: 'Flow',
    text: ({ flow_name }) => flow_name ?? '',
    extra: 8,
    from: 900,
    cell: ({ flow_name }) => <NamedCell field="flow" value={flow_name} />,
  },
  startColumn,
  durationColumn,
  triesColumn,
  reasonColumn,
  { ...tagsColumn, bounds: [60, 240], from: 1250 },
];

interface Props {
  readonly search: RunsSearch;
  readonly change: (part: RunsSearch) => void;
}

export function TaskRunsList({ search, change }: Props) {
  const navigate = useNavigate();
  const filters = useFilters(taskRunFields, search, change);
  const query = useInfiniteQuery(taskRunsQuery(search));
  const pages = query.data?.pages;
  const rows = useMemo(() => pages?.flatMap(({ task_runs }) => task_runs) ?? [], [pages]);
  const first = pages?.[0];
  const intervals = useMemo(() => intervalsOf(first?.history), [first?.history]);
  return (
    <FilteredList
      name="task-runs"
      label="Task runs"
      nouns={['task run', 'task runs']}
      filters={filters}
      values={useMemo(() => taskRunValues(search), [search])}
      time={{ span: search.span, onChange: (span) => change({ span }), times: (now) => spanOf(search, now) }}
      query={query}
      rows={rows}
      idOf={idOf}
      columns={taskRunColumns}
      onOpen={({ id }) => void navigate({ to: '/runs/task-run/$id', params: { id } })}
      intervals={intervals}
      count={first?.count ?? undefined}
      since={first?.counted_since}
      sorting={isByStart(search) ? sortingOf(search) : undefined}
      onSort={(sorting) => change({ sort: searchOf(sorting) })}
      searchedTo={pages?.at(-1)?.next?.start ?? undefined}
      empty={<NoRuns />}
    />
  );
}

const idOf = ({ id }: { readonly id: string }) => id;
