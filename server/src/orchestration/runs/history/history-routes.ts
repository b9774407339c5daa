import type { Route } from '../../../http/routes/route.ts';
import { routesOf } from '../../../http/routes/routes-of.ts';
import { Nullable, Type } from '../../../schema/kinds.ts';
import { flowRunBodies } from '../flow-runs/schema.ts';
import { HistoryResponse } from '../rows/state-schema.ts';
import { readFlowRunHistory } from './run-history.ts';
import { readFlowRunLateness } from './run-lateness.ts';

const { search } = routesOf('Flow Runs', 'flow_runs');

export const flowRunHistoryRoutes: readonly Route[] = [
  search('/flow_runs/history', 'flow_run_history_flow_runs_history_post', {
    summary: 'Count flow runs by time and state',
    description:
      'Splits the time between `history_start` and `history_end` into intervals of `history_interval_seconds` and counts the runs of each by state, with their run time and lateness in seconds. Runs count by their expected start.',
    body: flowRunBodies.history,
    answers: Type.Array(HistoryResponse),
    handler: ({ context, body }) => {
      const { history_start, history_end, history_interval_seconds, work_queues, ...filters } = body;
      const span = { start: history_start, end: history_end, intervalSeconds: history_interval_seconds };
      return readFlowRunHistory(context, { ...filters, work_pool_queues: work_queues }, span);
    },
  }),
  search('/flow_runs/lateness', 'average_flow_run_lateness_flow_runs_lateness_post', {
    summary: 'Average the lateness of flow runs',
    description:
      'The average delay of the start of the matching runs, in seconds; a run on time counts as 0. Null when none matches.',
    body: flowRunBodies.lateness,
    answers: Nullable(Type.Number()),
    handler: ({ context, body }) => readFlowRunLateness(context, body),
  }),
];
