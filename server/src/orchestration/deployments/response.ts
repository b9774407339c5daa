import type { Db } from '../../database/store.ts';
import type { Timestamp } from '../../values/time.ts';
import { limitsById } from '../limits/global-limits/deployment-limit.ts';
import type { LimitInUse } from '../limits/global-limits/queries.ts';
import { activeSlots } from '../limits/global-limits/usage.ts';
import type { Deployment } from './queries.ts';
import { listSchedules, type ScheduleRow, schedulesByDeployment } from './schedules/queries.ts';

/** Deployments in the shape of `DeploymentResponse`; used slots are as of `now`. */
export async function deploymentResponses(db: Db, deployments: readonly Deployment[], now: Timestamp) {
  const limitIds = deployments.flatMap(({ limit_id }) => (limit_id === null ? [] : [limit_id]));
  const [schedules, limits] = await Promise.all([
    schedulesByDeployment(
      db,
      deployments.map(({ id }) => id),
    ),
    limitsById(db, limitIds, now),
  ]);
  return deployments.map((deployment) =>
    response(deployment, schedules.get(deployment.id) ?? [], limits.get(deployment.limit_id ?? ''), now),
  );
}

export async function deploymentResponse(db: Db, deployment: Deployment, now: Timestamp) {
  const { id, limit_id } = deployment;
  const [schedules, limits] = await Promise.all([
    db.all(listSchedules, { deployment_id: id }),
    limitsById(db, limit_id === null ? [] : [limit_id], now),
  ]);
  return response(deployment, schedules, limits.get(limit_id ?? ''), now);
}

function response(
  deployment: Deployment,
  schedules: readonly ScheduleRow[],
  limit: LimitInUse | undefined,
  now: Timestamp,
) {
  return {
    ...deployment,
    schedules,
    concurrency_limit: null,
    global_concurrency_limit: limit ? { ...limit, active_slots: activeSlots(limit, now) } : null,
    work_queue_id: deployment.queue_id,
    work_queue_name: deployment.queue_name ?? deployment.work_queue_name,
  };
}
