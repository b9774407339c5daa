import { type Route, route } from '../../../http/route.ts';
import { OrchestrationResult } from '../rows/state-schema.ts';
import { orchestrated } from '../states/routes.ts';
import { resumeFlowRun } from './resume.ts';
import { flowRunBodies } from './schema.ts';

export const flowRunResumeRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/flow_runs/{id}/resume',
    operationId: 'resume_flow_run_flow_runs__id__resume_post',
    summary: 'Resume a paused flow run',
    description:
      'Resumes a paused or suspended run, with the input that it asked for. `status` says whether it was accepted, and why not.',
    tags: ['Flow Runs'],
    permission: 'flow_runs:write',
    parameters: { id: 'uuid' },
    body: flowRunBodies.resume,
    responses: { 200: OrchestrationResult },
    async handler({ context, path, body }) {
      return orchestrated(await resumeFlowRun(context, path.id, body.run_input ?? null));
    },
  }),
];
