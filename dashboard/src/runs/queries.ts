/** Queries of the pages of runs, one for each screen. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answered, api } from '../api/client.ts';
import type { components } from '../api/schema.gen.ts';
import type { StateType } from '../design/states.ts';
import { sortOf } from './runs-order.ts';
import type { RunsSearch } from './runs-search.ts';
import { readSpan, type Span } from './span.ts';

export type RunRow = components['schemas']['RunRow'];
export type FlowRunView = components['schemas']['FlowRunView'];
export type TaskRunView = components['schemas']['TaskRunView'];
export type TimelineView = components['schemas']['TimelineView'];

export const PAGE_SIZE = 100;
/** What the server gives at once at most. */
export const LARGEST_PAGE = 200;
/** Bars of the history above a list. */
export const INTERVALS = 60;
/** Spans end at whole steps of this, so that a page that is asked again is the same question. */
const STEP_MILLISECONDS = 10_000;

export function spanOf({ span }: RunsSearch): Span {
  return readSpan(span, Math.ceil(Date.now() / STEP_MILLISECONDS) * STEP_MILLISECONDS);
}

/** What asks for the first page, and for the counts above it. */
export function firstPage(search: RunsSearch) {
  return { ...pageOf(search), history: { ...spanOf(search), intervals: INTERVALS } };
}

function pageOf(search: RunsSearch) {
  return {
    ...runFilters(search),
    sort: sortOf(search),
    limit: PAGE_SIZE,
  };
}

/** `useFreshRuns` reads it again when runs change. */
export function runsQuery(search: RunsSearch) {
  const { tab: _, ...asked } = search;
  return infiniteQueryOptions({
    queryKey: ['runs', asked],
    meta: { watches: [] },
    initialPageParam: null as components['schemas']['RunPosition'] | null,
    placeholderData: keepPreviousData,
    queryFn: ({ pageParam, signal }) =>
      answered(
        api.POST('/views/runs', {
          signal,
          body: pageParam === null ? firstPage(search) : { ...pageOf(search), after: pageParam },
        }),
      ),
    getNextPageParam: ({ next }) => next,
  });
}

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** A run that is asked for by its id is shown whenever it ran. */
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

/** The same filters for task runs; flow and deployment are those of their flow run. */
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

export function flowRunQuery(id: string) {
  return queryOptions({
    queryKey: ['flow-run', id],
    meta: { watches: [id] },
    queryFn: ({ signal }) => answered(api.GET('/views/flow_runs/{id}', { params: { path: { id } }, signal })),
  });
}

/** `givers`: also whose results each task takes. */
export function timelineQuery(id: string, givers = false) {
  return queryOptions({
    queryKey: ['timeline', id, givers],
    meta: { watches: [id] },
    queryFn: ({ signal }) =>
      answered(api.GET('/views/flow_runs/{id}/timeline', { params: { path: { id }, query: { givers } }, signal })),
  });
}

export function taskRunQuery(id: string) {
  return queryOptions({
    queryKey: ['task-run', id],
    meta: { watches: [id] },
    queryFn: ({ signal }) => answered(api.GET('/views/task_runs/{id}', { params: { path: { id } }, signal })),
  });
}
