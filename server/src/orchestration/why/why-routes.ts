import { found } from '../../errors.ts';
import type { Route } from '../../http/routes/route.ts';
import { routesOf } from '../../http/routes/routes-of.ts';
import { MISSING } from '../runs/rows/flow-runs.ts';
import { explainFlowRun } from './why.ts';
import { FlowRunExplanation } from './why-schema.ts';

const { get } = routesOf('Flow Runs', 'flow_runs');

export const flowRunWhyRoutes: readonly Route[] = [
  /** The Prefect server does not have this route. */
  get('/flow_runs/{id}/why', 'explain_flow_run_flow_runs__id__why_get', {
    summary: 'Explain why a run has not started',
    description:
      'The conditions that prevent the run from starting, such as a paused queue, a full limit or no worker, each with a remedy. 404 when there is no such run.',
    answers: FlowRunExplanation,
    handler: async ({ context, path }) => found(await explainFlowRun(context, path.id), MISSING),
  }),
];
