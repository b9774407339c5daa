import { NotFound } from '../../errors.ts';
import { ok, type Route, route } from '../../http/route.ts';
import { explainFlowRun } from './why.ts';
import { FlowRunExplanation } from './why-schema.ts';

export const flowRunWhyRoutes: readonly Route[] = [
  /** The Prefect server does not have this route. */
  route({
    method: 'GET',
    path: '/flow_runs/{id}/why',
    operationId: 'explain_flow_run_flow_runs__id__why_get',
    summary: 'Explain why a run has not started',
    description:
      'The conditions between the run and its start, such as a paused queue, a full limit or no worker, each with what would change it. 404 when there is no such run.',
    tags: ['Flow Runs'],
    permission: 'flow_runs:read',
    parameters: { id: 'uuid' },
    responses: { 200: FlowRunExplanation },
    async handler({ context, path }) {
      const explanation = await explainFlowRun(context, path.id);
      if (!explanation) throw new NotFound('Flow run not found');
      return ok(explanation);
    },
  }),
];
