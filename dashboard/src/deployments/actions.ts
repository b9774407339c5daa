/** Changes of deployments. Each throws Problem when the server refuses it. */
import { answered, api } from '../api/client.ts';
import type { components } from '../api/schema.gen.ts';
import type { Deployment } from './queries.ts';

interface NewRun {
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly jobVariables: Readonly<Record<string, unknown>>;
  readonly name: string;
  readonly tags: readonly string[];
  readonly time: Date | undefined;
  readonly queue: string;
  /** True if the server refuses parameters that do not fit the schema. */
  readonly isChecked: boolean;
}

/** Returns the id of the run. */
export async function createRun(id: string, run: NewRun): Promise<string> {
  const { name, tags, time, queue, isChecked } = run;
  const created = await answered(
    api.POST('/deployments/{id}/create_flow_run', {
      params: { path: { id } },
      body: {
        parameters: { ...run.parameters },
        job_variables: { ...run.jobVariables },
        enforce_parameter_schema: isChecked,
        tags: [...tags],
        ...(name === '' ? {} : { name }),
        ...(queue === '' ? {} : { work_queue_name: queue }),
        ...(time ? { state: { type: 'SCHEDULED', state_details: { scheduled_time: time.toISOString() } } } : {}),
      },
    }),
  );
  return created.id;
}

export async function pauseDeployment(id: string, paused: boolean): Promise<void> {
  const params = { path: { id } };
  await (paused
    ? answered(api.POST('/deployments/{id}/pause_deployment', { params }))
    : answered(api.POST('/deployments/{id}/resume_deployment', { params })));
}

export async function deleteDeployment(id: string): Promise<void> {
  await answered(api.DELETE('/deployments/{id}', { params: { path: { id } } }));
}

export async function updateDeployment(id: string, body: components['schemas']['DeploymentUpdate']): Promise<void> {
  await answered(api.PATCH('/deployments/{id}', { params: { path: { id } }, body }));
}

/** Fields of the answer that a new deployment copies unchanged. */
const COPIED = [
  'flow_id',
  'paused',
  'concurrency_options',
  'enforce_parameter_schema',
  'parameter_openapi_schema',
  'labels',
  'pull_steps',
  'work_queue_name',
  'work_pool_name',
  'storage_document_id',
  'infrastructure_document_id',
  'path',
  'version',
  'entrypoint',
] as const satisfies readonly (keyof Deployment)[];

/** A deployment of the same flow and code under another name, without the schedules. Returns its id. */
export async function duplicateDeployment(
  source: Deployment,
  changes: Omit<components['schemas']['DeploymentCreate'], 'flow_id'>,
): Promise<string> {
  const copied = Object.fromEntries(COPIED.map((name) => [name, source[name]])) as Pick<
    Deployment,
    (typeof COPIED)[number]
  >;
  return (await answered(api.POST('/deployments/', { body: { ...copied, ...changes } }))).id;
}

export type NewSchedule = components['schemas']['DeploymentScheduleCreate'];

export async function addSchedule(id: string, schedule: NewSchedule): Promise<void> {
  await answered(api.POST('/deployments/{id}/schedules', { params: { path: { id } }, body: [schedule] }));
}

export async function changeSchedule(
  id: string,
  scheduleId: string,
  change: components['schemas']['DeploymentScheduleUpdate'],
): Promise<void> {
  const path = { id, schedule_id: scheduleId };
  await answered(api.PATCH('/deployments/{id}/schedules/{schedule_id}', { params: { path }, body: change }));
}

export async function deleteSchedule(id: string, scheduleId: string): Promise<void> {
  const path = { id, schedule_id: scheduleId };
  await answered(api.DELETE('/deployments/{id}/schedules/{schedule_id}', { params: { path } }));
}
