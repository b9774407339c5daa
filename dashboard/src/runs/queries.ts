/** What the pages of runs ask the server, one question for each screen. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answered, api } from '../api/client.ts';
import type { components } from '../api/schema.gen.ts';
import type { StateType } from '../design/states.ts';
import type { RunsSearch } from './routes.ts';
import { readSpan } from './span.ts';

export type RunRow = components['schemas']['RunRow'];
export type FlowRunView = components['schemas']['FlowRunView'];
export type TaskRunView = components['schemas']['TaskRunView'];
export type TimelineView = components['schemas']['TimelineView'];

const PAGE_SIZE = 100;
const INTERVALS = 60;
/** Spans end at whole steps of this, so that a page that is asked again is the same question. */
const STEP_MILLISECONDS = 10_000;

export function runsQuery(search: RunsSearch) {
  return infiniteQueryOptions({
    queryKey: ['runs', search],
    meta: { watches: ['flow_run'] },
    initialPageParam: null as components['schemas']['RunPosition'] | null,
    placeholderData: keepPreviousData,
    queryFn: ({ pageParam, signal }) => {
      const span = readSpan(search.span, Math.ceil(Date.now() / STEP_MILLISECONDS) * STEP_MILLISECONDS);
      return answered(
        api.POST('/views/runs', {
          signal,
          body: {
            ...filtersOf(search, span),
            limit: PAGE_SIZE,
            after: pageParam,
            history: pageParam === null ? { ...span, intervals: INTERVALS } : null,
          },
        }),
      );
    },
    getNextPageParam: ({ next }) => next,
  });
}

function filtersOf({ state, flow, deployment, tag, name }: RunsSearch, { start, end }: { start: string; end: string }) {
  const states = state?.split(',') ?? [];
  const isLate = states.includes('LATE');
  const types = states.filter((one) => one !== 'LATE') as StateType[];
  return {
    flow_runs: {
      start_time: { after_: start, before_: end },
      ...(states.length > 0
        ? {
            state: {
              operator: 'or_' as const,
              ...(types.length > 0 ? { type: { any_: types } } : {}),
              ...(isLate ? { name: { any_: ['Late'] } } : {}),
            },
          }
        : {}),
      ...(tag ? { tags: { all_: tag.split(',') } } : {}),
      ...(name ? { name: { like_: name } } : {}),
    },
    ...(flow ? { flows: { name: { any_: [flow] } } } : {}),
    ...(deployment ? { deployments: { name: { any_: [deployment] } } } : {}),
  };
}

export function flowRunQuery(id: string) {
  return queryOptions({
    queryKey: ['flow-run', id],
    meta: { watches: [id] },
    queryFn: ({ signal }) => answered(api.GET('/views/flow_runs/{id}', { params: { path: { id } }, signal })),
  });
}

export function timelineQuery(id: string) {
  return queryOptions({
    queryKey: ['timeline', id],
    meta: { watches: [id] },
    queryFn: ({ signal }) => answered(api.GET('/views/flow_runs/{id}/timeline', { params: { path: { id } }, signal })),
  });
}

export function taskRunQuery(id: string) {
  return queryOptions({
    queryKey: ['task-run', id],
    meta: { watches: [id] },
    queryFn: ({ signal }) => answered(api.GET('/views/task_runs/{id}', { params: { path: { id } }, signal })),
  });
}
