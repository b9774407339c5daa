import { NotFound } from '../../errors.ts';
import type { Route } from '../../http/route.ts';
import { routesOf } from '../../http/routes-of.ts';
import { explainFlowRun } from './why.ts';
import { FlowRunExplanation } from './why-schema.ts';

const { get } = routesOf('Flow Runs', 'flow_runs');

export const flowRunWhyRoutes: readonly Route[] = [
  /** The Prefect server does not have this route. */
  get('/flow_runs/{id}/why', 'explain_flow_run_flow_runs__id__why_get', {
    summary: 'Explain why a run has not started',
    description:
      'The conditions between the run and its start, such as a paused queue, a full limit or no worker, each with what would change it. 404 when there is no such run.',
    answers: FlowRunExplanation,
    handler: async ({ context, path }) => {
      const explanation = await explainFlowRun(context, path.id);
      if (!explanation) throw new NotFound('Flow run not found');
      return explanation;
    },
  }),
];
