/** The first hour of a workspace: its steps, and the sample. These routes are additions to the reference. */
import type { Context } from '../../context/context.ts';
import { REFERENCE_VERSION } from '../../http/request/api-version.ts';
import type { Route } from '../../http/routes/route.ts';
import { routesOf } from '../../http/routes/routes-of.ts';
import { setDismissed } from './dismissal.ts';
import { loadSample } from './sample/load.ts';
import { removeSample } from './sample/remove.ts';
import { FirstHour, FirstHourUpdate } from './schema.ts';
import { readFirstHour } from './state.ts';

const { get, post, patch, remove } = routesOf('First hour', 'flows');

export const firstHourRoutes: readonly Route[] = [
  get('/first_hour', 'read_first_hour_first_hour_get', {
    summary: 'Read the first steps of the workspace',
    description:
      'The first client, flow, pool, deployment, worker and run of the workspace, each null until it arrives, and the reasons why a due run waits. Objects of the sample do not count.',
    permission: 'flow_runs:read',
    answers: FirstHour,
    handler: ({ context }) => answer(context),
  }),
  patch('/first_hour', 'update_first_hour_first_hour_patch', {
    summary: 'Dismiss the first steps of the workspace',
    description: 'With `dismissed: true` the home page no longer shows the steps to anyone; `false` shows them again.',
    body: FirstHourUpdate,
    handler: ({ context, body }) => setDismissed(context, body.dismissed),
  }),
  post('/first_hour/sample', 'load_sample_first_hour_sample_post', {
    summary: 'Load the sample',
    description:
      'Flows, deployments, runs in every state with logs, a paused work pool and an automation that is off. Names that are taken get a number. 409 when the workspace has a sample.',
    answers: [201, FirstHour],
    handler: async ({ context }) => {
      await loadSample(context);
      return answer(context);
    },
  }),
  remove('/first_hour/sample', 'remove_sample_first_hour_sample_delete', {
    summary: 'Remove the sample',
    description:
      'Deletes exactly the objects that the sample brought, also after they were changed. 404 without a sample. 409 while something else depends on it, such as a run of its deployments; the answer names it.',
    handler: ({ context }) => removeSample(context),
  }),
];

async function answer(context: Context): Promise<FirstHour> {
  return { ...(await readFirstHour(context)), prefect_version: REFERENCE_VERSION };
}
