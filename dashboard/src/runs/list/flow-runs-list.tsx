/** Flow runs: their filters, their history, the table, and the bulk actions. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo } from 'react';
import { useMay } from '../../api/access.ts';
import { FilteredList } from '../../components/list/filtered-list.tsx';
import { useFilters } from '../../components/list/use-filters.ts';
import { Empty } from '../../components/states-of-loading.tsx';
import { causeQuery } from '../../inbox/queries.ts';
import { BulkActions } from './bulk-actions.tsx';
import { runFilters, spanOf } from './filters.ts';
import { useFreshRuns } from './fresh/use-fresh-runs.ts';
import { intervalsOf } from './history.ts';
import { rememberList } from './last-list.ts';
import { OrderChoice } from './order-choice.tsx';
import { type RunRow, runsQuery, runValues } from './queries.ts';
import { runColumns } from './run-columns.tsx';
import { flowRunFields, isId, type RunsSearch } from './run-fields.ts';
import { isByStart, searchOf, sortingOf } from './runs-order.ts';
import { SearchHits } from './search-hits.tsx';

interface Props {
  readonly search: RunsSearch;
  readonly change: (part: RunsSearch) => void;
}

export function FlowRunsList({ search, change }: Props) {
  const navigate = useNavigate();
  const mayChange = useMay('flow_runs:write');
  const label = useCauseLabel(search.cause);
  const filters = { ...useFilters(flowRunFields, search, change), label };
  const query = useInfiniteQuery(runsQuery(search));
  const pages = query.data?.pages;
  const rows = useMemo(() => pages?.flatMap(({ runs }) => runs) ?? [], [pages]);
  const first = pages?.[0];
  const intervals = useMemo(() => intervalsOf(first?.history), [first?.history]);
  useFreshRuns(search);
  useEffect(() => rememberList(search, rows.map(idOf)), [search, rows]);
  return (
    <FilteredList
      name="runs"
      label="Flow runs"
      nouns={['run', 'runs']}
      filters={filters}
      values={useMemo(() => runValues(search), [search])}
      time={{ span: search.span, onChange: (span) => change({ span }), times: (now) => spanOf(search, now) }}
      query={query}
      rows={rows}
      idOf={idOf}
      columns={runColumns}
      onOpen={({ id }) => void navigate({ to: '/runs/flow-run/$id', params: { id } })}
      intervals={intervals}
      count={first?.count ?? undefined}
      since={first?.counted_since}
      sorting={sortingOf(search)}
      onSort={(sorting) => change({ sort: searchOf(sorting) })}
      searchedTo={(isByStart(search) && pages?.at(-1)?.next?.start) || undefined}
      more={<OrderChoice search={search} change={change} />}
      bulk={(selection) => (
        <BulkActions
          {...selection}
          matching={runFilters(search)}
          pair={pairOf(selection.ids, rows)}
          mayChange={mayChange}
        />
      )}
      empty={<NoRuns />}
    >
      <SearchHits text={search.name} change={change} />
    </FilteredList>
  );
}

/** Two runs, the earlier one first. */
function pairOf(ids: readonly string[], rows: readonly RunRow[]): readonly [string, string] | undefined {
  const [one, other, ...more] = ids;
  if (one === undefined || other === undefined || more.length > 0) return undefined;
  const startOf = (id: string) => {
    const row = rows.find((candidate) => candidate.id === id);
    return row?.start_time ?? row?.expected_start_time ?? '';
  };
  return startOf(one) <= startOf(other) ? [one, other] : [other, one];
}

/** The words of a cause that the address names by its id. */
function useCauseLabel(id: string | undefined) {
  const { data: cause } = useQuery({ ...causeQuery(id ?? ''), enabled: id !== undefined && isId(id) });
  return useCallback(
    (field: string, value: string) =>
      field === 'cause' && value === cause?.id ? `${cause.flow_name}: ${cause.cause}` : undefined,
    [cause],
  );
}

const idOf = ({ id }: { readonly id: string }) => id;

export function NoRuns() {
  return (
    <Empty title="No runs in this time">
      Runs appear here as soon as a flow starts with <code className="font-mono text-xs">PREFECT_API_URL</code> set to
      this server.
    </Empty>
  );
}
