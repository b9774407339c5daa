/** Queries of the lists of runs. */
import { keepPreviousData } from '@tanstack/react-query';
import { read } from '../../api/read.ts';
import type { components } from '../../api/schema.gen.ts';
import type { ValuesQuery } from '../../components/list/filter-line.tsx';
import { runFilters, spanOf, taskFilters } from './filters.ts';
import type { RunsSearch } from './run-fields.ts';
import { sortOf, taskSortOf } from './runs-order.ts';

export type RunRow = components['schemas']['RunRow'];
export type TaskRunRow = components['schemas']['TaskRunRow'];

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

/** The values of a field in the list of flow runs. The conditions are those of the filter line. */
export const runValues =
  (search: RunsSearch): ValuesQuery =>
  ({ where, ...wanted }) =>
    read.timed('/views/runs/values', [search.span, where, wanted], () => ({
      body: { ...runFilters({ span: search.span }), where, ...wanted },
    }));

export const taskRunValues =
  (search: RunsSearch): ValuesQuery =>
  ({ where, ...wanted }) =>
    read.timed('/views/task_runs/values', [search.span, where, wanted], () => ({
      body: { ...taskFilters({ span: search.span }), where, ...wanted },
    }));

/** Task runs, newest first, with their number over time on the first page. */
export function taskRunsQuery(search: RunsSearch) {
  return read.pages(
    '/views/task_runs',
    (after: components['schemas']['RunPosition'] | null) => ({
      body: {
        ...taskFilters(search),
        sort: taskSortOf(search),
        limit: PAGE_SIZE,
        ...(after === null ? { history: { ...spanOf(search), intervals: INTERVALS } } : { after }),
      },
    }),
    {
      key: search,
      watches: ['task_run'],
      initialPageParam: null,
      placeholderData: keepPreviousData,
      getNextPageParam: ({ next }) => next,
    },
  );
}

const MOST_VIEWS = 200;

export const viewsQuery = read.one('/saved_searches/filter', { body: { limit: MOST_VIEWS, offset: 0 } });
