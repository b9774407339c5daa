/** The server's form of the filters of the lists of runs. */

import { readSpan, type Span } from '../design/span.ts';
import type { StateType } from '../design/states.ts';
import type { RunsSearch } from './runs-search.ts';

/** Spans end at multiples of this, so that a repeated query of a page is equal. */
const STEP_MILLISECONDS = 10_000;

export function spanOf({ span }: RunsSearch): Span {
  return readSpan(span, Math.ceil(Date.now() / STEP_MILLISECONDS) * STEP_MILLISECONDS);
}

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** A run with the searched id is shown regardless of its time. */
export function runFilters(search: RunsSearch) {
  const { flow, deployment } = search;
  const { start, end } = spanOf(search);
  const name = search.name?.trim();
  return {
    flow_runs:
      name && ID.test(name)
        ? { id: { any_: [name] } }
        : { start_time: { after_: start, before_: end }, ...stateFilter(search), ...namesFilter(search) },
    ...(flow ? { flows: { name: { any_: [flow] } } } : {}),
    ...(deployment ? { deployments: { name: { any_: [deployment] } } } : {}),
  };
}

/** Like `runFilters`, for task runs; flow and deployment are those of their flow run. */
export function taskFilters(search: RunsSearch) {
  const { flow, deployment } = search;
  const { start, end } = spanOf(search);
  const name = search.name?.trim();
  return {
    task_runs:
      name && ID.test(name)
        ? { id: { any_: [name] } }
        : { expected_start_time: { after_: start, before_: end }, ...stateFilter(search), ...namesFilter(search) },
    ...(flow ? { flows: { name: { any_: [flow] } } } : {}),
    ...(deployment ? { deployments: { name: { any_: [deployment] } } } : {}),
  };
}

function stateFilter({ state }: RunsSearch) {
  const states = state?.split(',') ?? [];
  if (states.length === 0) return {};
  const types = states.filter((one) => one !== 'LATE') as StateType[];
  return {
    state: {
      operator: 'or_' as const,
      ...(types.length > 0 ? { type: { any_: types } } : {}),
      ...(states.includes('LATE') ? { name: { any_: ['Late'] } } : {}),
    },
  };
}

function namesFilter({ name, tag }: RunsSearch) {
  const part = name?.trim();
  return {
    ...(tag ? { tags: { all_: tag.split(',') } } : {}),
    ...(part ? { name: { like_: part } } : {}),
  };
}
