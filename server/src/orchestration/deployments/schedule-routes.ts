import { NotFound } from '../../errors.ts';
import { created, noContent, ok, type Route, route } from '../../http/route.ts';
import { Json, Type } from '../../schema/kinds.ts';
import { hasDeployment } from './queries.ts';
import { scheduleRuns } from './refill.ts';
import { listSchedules } from './schedule-queries.ts';
import { DeploymentSchedule, DeploymentScheduleUpdate } from './schedule-schema.ts';
import { createSchedules, deleteSchedule, updateSchedule } from './schedules.ts';
import { deploymentBodies } from './schema.ts';

const tags = ['Deployments'];

export const deploymentScheduleRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/deployments/{id}/schedule',
    operationId: 'schedule_deployment_deployments__id__schedule_post',
    summary: 'Create the runs of schedules now',
    description:
      'Creates the scheduled runs between `start_time` and `end_time`, at least `min_runs` and at most `max_runs`, without waiting for the scheduler. Existing runs are not created again.',
    tags,
    permission: 'deployments:write',
    parameters: { id: 'uuid' },
    body: deploymentBodies.schedule,
    responses: { 200: Json() },
    async handler({ context, path, body }) {
      await scheduleRuns(context, path.id, body);
      return ok(null);
    },
  }),
  route({
    method: 'GET',
    path: '/deployments/{id}/schedules',
    operationId: 'read_deployment_schedules_deployments__id__schedules_get',
    summary: 'List the schedules of a deployment',
    description: 'Every schedule of the deployment, active or not. 404 when there is no such deployment.',
    tags,
    permission: 'deployments:read',
    parameters: { id: 'uuid' },
    responses: { 200: Type.Array(DeploymentSchedule) },
    async handler({ context, path }) {
      if (!(await hasDeployment(context.db, path.id))) throw new NotFound('Deployment not found.');
      return ok(await listSchedules(context.db, path.id));
    },
  }),
  route({
    method: 'POST',
    path: '/deployments/{id}/schedules',
    operationId: 'create_deployment_schedules_deployments__id__schedules_post',
    summary: 'Add schedules to a deployment',
    description:
      'Adds the given schedules: an interval in seconds, a cron line or a recurrence rule, each with a time zone. 409 when the slug of one is taken, 422 for a schedule that cannot be read.',
    tags,
    permission: 'deployments:write',
    parameters: { id: 'uuid' },
    body: deploymentBodies.schedules,
    responses: { 201: Type.Array(DeploymentSchedule) },
    async handler({ context, path, body }) {
      return created(await createSchedules(context, path.id, body));
    },
  }),
  route({
    method: 'PATCH',
    path: '/deployments/{id}/schedules/{schedule_id}',
    operationId: 'update_deployment_schedule_deployments__id__schedules__schedule_id__patch',
    summary: 'Update a schedule',
    description:
      'Changes the fields that are given and deletes the runs of the schedule that have not begun. 404 when there is no such schedule.',
    tags,
    permission: 'deployments:write',
    parameters: { id: 'uuid', schedule_id: 'uuid' },
    body: DeploymentScheduleUpdate,
    responses: { 204: null },
    async handler({ context, path, body }) {
      await updateSchedule(context, path.id, path.schedule_id, body);
      return noContent;
    },
  }),
  route({
    method: 'DELETE',
    path: '/deployments/{id}/schedules/{schedule_id}',
    operationId: 'delete_deployment_schedule_deployments__id__schedules__schedule_id__delete',
    summary: 'Delete a schedule',
    description: 'Deletes the schedule and its runs that have not begun. 404 when there is no such schedule.',
    tags,
    permission: 'deployments:write',
    parameters: { id: 'uuid', schedule_id: 'uuid' },
    responses: { 204: null },
    async handler({ context, path }) {
      await deleteSchedule(context, path.id, path.schedule_id);
      return noContent;
    },
  }),
];
