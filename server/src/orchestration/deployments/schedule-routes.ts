import { notFound } from '../../errors.ts';
import type { Route } from '../../http/routes/route.ts';
import { routesOf } from '../../http/routes/routes-of.ts';
import { Json, Type } from '../../schema/kinds.ts';
import { hasDeployment } from './queries.ts';
import { scheduleRuns } from './refill.ts';
import { listSchedules } from './schedules/queries.ts';
import { DeploymentSchedule, DeploymentScheduleUpdate } from './schedules/schema.ts';
import { createSchedules, deleteSchedule, updateSchedule } from './schedules.ts';
import { deploymentBodies } from './schema.ts';

const { get, post, patch, remove } = routesOf('Deployments', 'deployments');

export const deploymentScheduleRoutes: readonly Route[] = [
  post('/deployments/{id}/schedule', 'schedule_deployment_deployments__id__schedule_post', {
    summary: 'Create the runs of schedules now',
    description:
      'Creates the scheduled runs between `start_time` and `end_time`, at least `min_runs` and at most `max_runs`, without waiting for the scheduler. Existing runs are not created again.',
    body: deploymentBodies.schedule,
    answers: Json(),
    handler: async ({ context, path, body }) => {
      await scheduleRuns(context, path.id, body);
      return null;
    },
  }),
  get('/deployments/{id}/schedules', 'read_deployment_schedules_deployments__id__schedules_get', {
    summary: 'List the schedules of a deployment',
    description: 'Every schedule of the deployment, active or not. 404 when there is no such deployment.',
    answers: Type.Array(DeploymentSchedule),
    handler: async ({ context, path }) => {
      if (!(await hasDeployment(context.db, path.id))) notFound('Deployment not found.');
      return context.db.all(listSchedules, { deployment_id: path.id });
    },
  }),
  post('/deployments/{id}/schedules', 'create_deployment_schedules_deployments__id__schedules_post', {
    summary: 'Add schedules to a deployment',
    description:
      'Adds the given schedules: an interval in seconds, a cron line or a recurrence rule, each with a time zone. 409 when a slug is taken, 422 for a schedule that cannot be parsed.',
    body: deploymentBodies.schedules,
    answers: [201, Type.Array(DeploymentSchedule)],
    handler: ({ context, path, body }) => createSchedules(context, path.id, body),
  }),
  patch(
    '/deployments/{id}/schedules/{schedule_id}',
    'update_deployment_schedule_deployments__id__schedules__schedule_id__patch',
    {
      summary: 'Update a schedule',
      description:
        'Changes the given fields, and recreates the future runs of the deployment. 404 when there is no such schedule.',
      body: DeploymentScheduleUpdate,
      handler: ({ context, path, body }) => updateSchedule(context, path.id, path.schedule_id, body),
    },
  ),
  remove(
    '/deployments/{id}/schedules/{schedule_id}',
    'delete_deployment_schedule_deployments__id__schedules__schedule_id__delete',
    {
      summary: 'Delete a schedule',
      description:
        'Deletes the schedule, and the runs of the deployment that the scheduler created and that have not started. Future runs of other schedules are recreated. 404 when there is no such schedule.',
      handler: ({ context, path }) => deleteSchedule(context, path.id, path.schedule_id),
    },
  ),
];
