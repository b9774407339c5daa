/** Queries of the pages of runs, one for each screen. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answered, api } from '../api/client.ts';
import type { components } from '../api/schema.gen.ts';
import { runFilters, spanOf } from './filters.ts';
import { sortOf } from './runs-order.ts';
import type { RunsSearch } from './runs-search.ts';

export type RunRow = components['schemas']['RunRow'];
export type FlowRunView = components['schemas']['FlowRunView'];
export type TaskRunView = components['schemas']['TaskRunView'];
export type TimelineView = components['schemas']['TimelineView'];

export const PAGE_SIZE = 100;
/** The largest page the server returns. */
export const LARGEST_PAGE = 200;
/** Bars of the history above a list. */
export const INTERVALS = 60;
/** The parameters of the first page, and of the counts above it. */
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

/** Task runs count as missing only some seconds after the end, so a run that has just ended is read again. */
const SETTLED_MILLISECONDS = 15_000;

export function flowRunQuery(id: string) {
  return queryOptions({
    queryKey: ['flow-run', id],
    meta: { watches: [id] },
    queryFn: ({ signal }) => answered(api.GET('/views/flow_runs/{id}', { params: { path: { id } }, signal })),
    refetchInterval: ({ state: { data } }) => (data && hasJustEnded(data) ? SETTLED_MILLISECONDS : false),
  });
}

function hasJustEnded({ as_of, flow_run }: FlowRunView): boolean {
  return !!flow_run.end_time && Date.parse(as_of) - Date.parse(flow_run.end_time) < SETTLED_MILLISECONDS;
}

/** With `givers`, includes the runs whose results each task uses. */
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
