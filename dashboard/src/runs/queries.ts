/** Queries of the pages of one run, one for each screen. */
import { read } from '../api/read.ts';
import type { components } from '../api/schema.gen.ts';

export type FlowRunView = components['schemas']['FlowRunView'];
export type TaskRunView = components['schemas']['TaskRunView'];
export type TimelineView = components['schemas']['TimelineView'];

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
