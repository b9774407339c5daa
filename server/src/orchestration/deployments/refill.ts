/** Creates runs ahead of time: by the scheduler as needed, and on request of a client. */
import type { Context } from '../../context/context.ts';
import { asOneRequest } from '../../fairness/foreign-work/request-work.ts';
import type { Timestamp } from '../../values/time.ts';
import { claimDueDeployment, findDeployment, listDueDeployments, updateDeploymentColumns } from './queries.ts';
import { laterBy, makeScheduledRuns } from './scheduled-runs.ts';
import { listSchedules } from './schedules/queries.ts';

/** Deployments that one pass of the scheduler processes, each in a transaction of its own. */
const BATCH = 100;

/**
 * Creates the runs of the due deployments. Resolves to true when more are waiting. A paused deployment gets no runs,
 * and the scheduler skips it until it is resumed. `services/scheduler.test.ts` shows it.
 */
export async function refillDueDeployments(context: Context): Promise<boolean> {
  const ids = await listDueDeployments(context.db, context.now, BATCH);
  const refilled = await Promise.allSettled(ids.map((id) => asOneRequest(() => refillIfDue(context, id))));
  const failed = refilled.filter((result) => result.status === 'rejected');
  for (const { reason } of failed) context.server.logger.error({ err: reason }, 'a deployment gets no runs');
  // Deployments that fail would be found again at once, so they wait for the next pass.
  return ids.length === BATCH && failed.length === 0;
}

function refillIfDue(context: Context, id: string): Promise<void> {
  return context.transaction(async (tx) => {
    const deployment = await claimDueDeployment(tx, id, context.now);
    if (!deployment) return;
    const schedules = deployment.paused ? [] : await tx.all(listSchedules, { deployment_id: id });
    const refill = await makeScheduledRuns(context, tx, deployment, schedules, boundsOf(context, {}));
    await updateDeploymentColumns(tx, id, { schedule_due: refill ?? null });
  });
}

/** The bounds for runs in a client's request; null and undefined mean the scheduler's own. */
interface AskedBounds {
  readonly start_time?: Timestamp | null;
  readonly end_time?: Timestamp | null;
  /** Minimum seconds from the start that the last run reaches. */
  readonly min_time?: number | null;
  readonly min_runs?: number | null;
  readonly max_runs?: number | null;
}

/** Creates runs within these bounds, even if the deployment is paused. A deployment that does not exist gets none. */
export function scheduleRuns(context: Context, id: string, asked: AskedBounds): Promise<void> {
  return context.transaction(async (tx) => {
    await tx.lock('deployment', id);
    const deployment = await findDeployment(tx, id);
    if (!deployment) return;
    await makeScheduledRuns(
      context,
      tx,
      deployment,
      await tx.all(listSchedules, { deployment_id: id }),
      boundsOf(context, asked),
    );
  });
}

function boundsOf(context: Context, asked: AskedBounds) {
  const { schedulerMinRuns, schedulerMaxRuns, schedulerMinSeconds, schedulerMaxSeconds } = context.server.config;
  const start = asked.start_time ?? context.now;
  return {
    start,
    end: asked.end_time ?? laterBy(start, schedulerMaxSeconds),
    until: laterBy(start, asked.min_time ?? schedulerMinSeconds),
    minRuns: asked.min_runs ?? schedulerMinRuns,
    maxRuns: asked.max_runs ?? schedulerMaxRuns,
  };
}
