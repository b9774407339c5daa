import { ok, type Route, route } from '../../../http/route.ts';
import { Nullable, Type } from '../../../schema/kinds.ts';
import { flowRunBodies } from '../flow-runs/schema.ts';
import { HistoryResponse } from '../rows/state-schema.ts';
import { readFlowRunHistory } from './run-history.ts';
import { readFlowRunLateness } from './run-lateness.ts';

const tags = ['Flow Runs'];

export const flowRunHistoryRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/flow_runs/history',
    operationId: 'flow_run_history_flow_runs_history_post',
    summary: 'Count flow runs by time and state',
    description:
      'Splits the time between `history_start` and `history_end` into intervals of `history_interval_seconds` and counts the runs of each by state, with their run time and lateness in seconds. Runs count by their expected start.',
    tags,
    permission: 'flow_runs:read',
    body: flowRunBodies.history,
    responses: { 200: Type.Array(HistoryResponse) },
    async handler({ context, body }) {
      const { history_start, history_end, history_interval_seconds, work_queues, ...filters } = body;
      const span = { start: history_start, end: history_end, intervalSeconds: history_interval_seconds };
      return ok(await readFlowRunHistory(context, { ...filters, work_pool_queues: work_queues }, span));
    },
  }),
  route({
    method: 'POST',
    path: '/flow_runs/lateness',
    operationId: 'average_flow_run_lateness_flow_runs_lateness_post',
    summary: 'Average the lateness of flow runs',
    description:
      'The average of how much later than expected the matching runs began, in seconds; those on time count as 0. Null when none matches.',
    tags,
    permission: 'flow_runs:read',
    body: flowRunBodies.lateness,
    responses: { 200: Nullable(Type.Number()) },
    async handler({ context, body }) {
      return ok(await readFlowRunLateness(context, body));
    },
  }),
];
