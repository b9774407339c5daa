import type { Db } from '../../database/store.ts';
import type { Deployment } from './queries.ts';
import { listSchedules, type ScheduleRow, schedulesByDeployment } from './schedule-queries.ts';

/** A deployment in the shape of `DeploymentResponse`. */
export async function deploymentResponse(db: Db, deployment: Deployment) {
  return withSchedules(deployment, await listSchedules(db, deployment.id));
}

export async function deploymentResponses(db: Db, deployments: readonly Deployment[]) {
  const schedules = await schedulesByDeployment(
    db,
    deployments.map(({ id }) => id),
  );
  return deployments.map((deployment) => withSchedules(deployment, schedules.get(deployment.id) ?? []));
}

function withSchedules(deployment: Deployment, schedules: readonly ScheduleRow[]) {
  return {
    ...deployment,
    schedules,
    concurrency_limit: null,
    global_concurrency_limit: limitOf(deployment),
    work_queue_id: deployment.queue_id,
    work_queue_name: deployment.queue_name ?? deployment.work_queue_name,
  };
}

function limitOf(deployment: Deployment) {
  if (deployment.limit_id === null) return null;
  return {
    id: deployment.limit_id,
    created: deployment.limit_created,
    updated: deployment.limit_updated,
    active: deployment.limit_active,
    name: deployment.limit_name,
    limit: deployment.limit_value,
    active_slots: 0,
    slot_decay_per_second: deployment.limit_decay,
  };
}
