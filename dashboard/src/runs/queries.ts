/** Queries of the pages of runs, one for each screen. */
import { keepPreviousData } from '@tanstack/react-query';
import { read } from '../api/read.ts';
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
  return read.pages(
    '/views/runs',
    (after: components['schemas']['RunPosition'] | null) => ({
      body: after === null ? firstPage(search) : { ...pageOf(search), after },
    }),
    {
      key: asked,
      watches: [],
      initialPageParam: null,
      placeholderData: keepPreviousData,
      getNextPageParam: ({ next }) => next,
    },
  );
}

/** Task runs count as missing only some seconds after the end, so a run that has just ended is read again. */
const SETTLED_MILLISECONDS = 15_000;

export const flowRunQuery = (id: string) =>
  read.one(
    '/views/flow_runs/{id}',
    { params: { path: { id } } },
    {
      watches: [id],
      refetchInterval: ({ state: { data } }) => (data && hasJustEnded(data) ? SETTLED_MILLISECONDS : false),
    },
  );

function hasJustEnded({ as_of, flow_run }: FlowRunView): boolean {
  return !!flow_run.end_time && Date.parse(as_of) - Date.parse(flow_run.end_time) < SETTLED_MILLISECONDS;
}

/** With `givers`, includes the runs whose results each task uses. */
export const timelineQuery = (id: string, givers = false) =>
  read.one('/views/flow_runs/{id}/timeline', { params: { path: { id }, query: { givers } } }, { watches: [id] });

export const taskRunQuery = (id: string) =>
  read.one('/views/task_runs/{id}', { params: { path: { id } } }, { watches: [id] });
