/** The server's form of the filters of the lists of runs. */
import { whereOf } from '../../components/list/fields.ts';
import { conditionsOf, type ListFields } from '../../components/list/use-filters.ts';
import { readSpan, type Span } from '../../design/span.ts';
import { flowRunFields, type RunsSearch, searchedId, taskRunFields } from './run-fields.ts';

/** Spans end at multiples of this, so that a repeated query of a page is equal. */
const STEP_MILLISECONDS = 10_000;

export function spanOf({ span }: RunsSearch, now = Date.now()): Span {
  return readSpan(span, Math.ceil(now / STEP_MILLISECONDS) * STEP_MILLISECONDS);
}

/** A run with the searched id is shown regardless of its time and of what is hidden by itself. */
function asked(search: RunsSearch, list: ListFields) {
  const conditions = conditionsOf(search, list);
  const id = searchedId(conditions);
  const { start, end } = spanOf(search);
  return {
    where: id === undefined ? whereOf(conditions, list.fields) : [],
    ids: id === undefined ? undefined : { id: { any_: [id] } },
    times: { after_: start, before_: end },
  };
}

export function runFilters(search: RunsSearch) {
  const { where, ids, times } = asked(search, flowRunFields);
  return { where, flow_runs: ids ?? { start_time: times } };
}

/** Like `runFilters`, for task runs. */
export function taskFilters(search: RunsSearch) {
  const { where, ids, times } = asked(search, taskRunFields);
  return { where, task_runs: ids ?? { expected_start_time: times } };
}
