import type { Route } from '../../../http/routes/route.ts';
import { routesOf } from '../../../http/routes/routes-of.ts';
import { OrchestrationResult } from '../rows/state-schema.ts';
import { orchestrated } from '../states/routes.ts';
import { resumeFlowRun } from './resume.ts';
import { flowRunBodies } from './schema.ts';

const { post } = routesOf('Flow Runs', 'flow_runs');

export const flowRunResumeRoutes: readonly Route[] = [
  post('/flow_runs/{id}/resume', 'resume_flow_run_flow_runs__id__resume_post', {
    summary: 'Resume a paused flow run',
    description:
      'Resumes a paused or suspended run, with the input that it asked for. `status` says whether the server accepted it, `details` why not.',
    body: flowRunBodies.resume,
    responses: { 200: OrchestrationResult },
    async handler({ context, path, body }) {
      return orchestrated(await resumeFlowRun(context, path.id, body.run_input ?? null));
    },
  }),
];
