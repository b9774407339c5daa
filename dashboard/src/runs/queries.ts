/** Queries of the pages of one run, one for each screen. */
import { read } from '../api/read.ts';
import type { components } from '../api/schema.gen.ts';

export type FlowRunView = components['schemas']['FlowRunView'];
export type TaskRunView = components['schemas']['TaskRunView'];
export type TimelineView = components['schemas']['TimelineView'];

/** Task runs count as missing only some seconds after the end, so a run that has just ended is read again. */
const SETTLED_MILLISECONDS = 15_000;

/** Explains the attempt, or the latest that has run. */
export const flowRunQuery = (id: string, attempt?: number) =>
  read.one(
    '/views/flow_runs/{id}',
    { params: { path: { id }, query: { attempt } } },
    {
      watches: [id],
      refetchInterval: ({ state: { data } }) => (data && hasJustEnded(data) ? SETTLED_MILLISECONDS : false),
    },
  );

function hasJustEnded({ as_of, flow_run }: FlowRunView): boolean {
  return !!flow_run.end_time && Date.parse(as_of) - Date.parse(flow_run.end_time) < SETTLED_MILLISECONDS;
}

interface TimelineOf {
  /** Includes the runs whose results each task uses. */
  readonly givers?: boolean;
  /** All attempts without it. */
  readonly attempt?: number | undefined;
}

export const timelineQuery = (id: string, { givers = false, attempt }: TimelineOf = {}) =>
  read.one(
    '/views/flow_runs/{id}/timeline',
    { params: { path: { id }, query: { givers, attempt } } },
    { watches: [id] },
  );

export const subflowsQuery = (id: string) =>
  read.one('/views/flow_runs/{id}/subflows', { params: { path: { id } } }, { watches: [id] });

export type RetryPlan = components['schemas']['RetryPlan'];

export const retryPlanQuery = (id: string) =>
  read.one('/views/flow_runs/{id}/retry', { params: { path: { id } } }, { watches: [id] });

export const taskRunQuery = (id: string) =>
  read.one('/views/task_runs/{id}', { params: { path: { id } } }, { watches: [id] });
