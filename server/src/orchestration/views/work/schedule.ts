/** The planned runs of all deployments' schedules, and the times at which they exceed limits. */
import { sql } from 'kysely';
import type { Context } from '../../../context/context.ts';
import { statement } from '../../../database/statement.ts';
import { Unprocessable } from '../../../errors.ts';
import { nextTurn } from '../../../fairness/turns.ts';
import { momentOf, scheduleDates } from '../../../schedules/schedule-dates.ts';
import { ScheduleTooCostly, WorkBudget } from '../../../schedules/work-budget.ts';
import type { JsonText } from '../../../values/json.ts';
import { addSeconds, secondsBetween, type Timestamp, timestampFromMicroseconds } from '../../../values/time.ts';
import { storedSchedule } from '../../deployments/schedules/stored-schedule.ts';
import { clashesOf } from './clashes.ts';
import { listLastRuns, type RunBar } from './recent-runs.ts';
import { MOST_CLASHES, MOST_DATES, MOST_SCHEDULES, type ScheduleTimesBody } from './schedule-schema.ts';

/** Steps for computing the dates of one schedule: some tens of milliseconds. */
const MAX_STEPS = 50_000;
const DAY_SECONDS = 86_400;
/** The next times of a schedule are searched this far ahead. */
const FAR_AHEAD_SECONDS = 4 * 366 * DAY_SECONDS;
const RUNS_FOR_DURATION = 20;

interface StoredPlan {
  readonly id: string;
  readonly schedule: JsonText;
  readonly deployment_id: string;
  readonly deployment_name: string;
  readonly flow_name: string;
  readonly limit_id: string | null;
  readonly limit_name: string | null;
  readonly limit_slots: number | null;
  readonly pool_id: string | null;
  readonly pool_name: string | null;
  readonly pool_slots: number | null;
}

const activePlans = statement<Record<never, never>, StoredPlan>(
  (_query, given) =>
    sql<StoredPlan>`select schedule.id, schedule.schedule, deployment.id as deployment_id, deployment.name as deployment_name,
        flow.name as flow_name, concurrency_limit.id as limit_id, concurrency_limit.name as limit_name,
        concurrency_limit."limit" as limit_slots, work_pool.id as pool_id, work_pool.name as pool_name,
        work_pool.concurrency_limit as pool_slots
      from deployment_schedule schedule
      join deployment on deployment.workspace = schedule.workspace and deployment.id = schedule.deployment_id
      join flow on flow.workspace = deployment.workspace and flow.id = deployment.flow_id
      left join concurrency_limit on concurrency_limit.workspace = deployment.workspace
        and concurrency_limit.id = deployment.concurrency_limit_id and concurrency_limit.active = true
      left join work_queue on work_queue.workspace = deployment.workspace and work_queue.id = deployment.work_queue_id
      left join work_pool on work_pool.workspace = work_queue.workspace and work_pool.id = work_queue.work_pool_id
      where schedule."workspace" = ${given.workspace} and schedule.active = true and deployment.paused = false
      order by deployment.name, schedule.id limit ${sql.lit(MOST_SCHEDULES)}`,
);

const countOfPlans = statement<Record<never, never>, { count: number }>(
  (_query, given) =>
    sql<{ count: number }>`select count(*) as count from deployment_schedule schedule
      join deployment on deployment.workspace = schedule.workspace and deployment.id = schedule.deployment_id
      where schedule."workspace" = ${given.workspace} and schedule.active = true and deployment.paused = false`,
);

export async function readScheduleView(context: Context, days: number) {
  const { db, now } = context;
  const until = addSeconds(now, days * DAY_SECONDS);
  const [stored, all] = await Promise.all([db.all(activePlans), db.first(countOfPlans)]);
  const ids = [...new Set(stored.map(({ deployment_id }) => deployment_id))];
  const runs = await listLastRuns(db, 'deployment', ids, RUNS_FOR_DURATION, now);
  const plans = [];
  for (const plan of stored) {
    await nextTurn();
    plans.push({ ...plan, ...datesOf(plan.schedule, now, until), run_time: averageOf(runs.get(plan.deployment_id)) });
  }
  return {
    as_of: now,
    until,
    schedules: plans,
    left_off: (all?.count ?? 0) - stored.length,
    clashes: allClashes(plans),
  };
}

function datesOf(schedule: JsonText, now: Timestamp, until: Timestamp) {
  const times: Timestamp[] = [];
  try {
    for (const date of scheduleDates(schedule, now, until, new WorkBudget(MAX_STEPS))) {
      times.push(momentOf(date));
      if (times.length > MOST_DATES) break;
    }
  } catch {
    // The schedule may come from other software, and the others are still worth showing.
    return { times: [], count: 0, is_readable: false };
  }
  if (times.length <= MOST_DATES) return { times, count: times.length, is_readable: true };
  const shown = times.slice(0, MOST_DATES);
  const between = secondsBetween(shown[0]!, times[MOST_DATES]!) / MOST_DATES;
  const rest = Math.floor(secondsBetween(times[MOST_DATES]!, until) / Math.max(1, between));
  return { times: shown, count: times.length + Math.max(0, rest), is_readable: true };
}

function averageOf(runs: readonly RunBar[] = []): number | null {
  const completed = runs.filter(({ state_type }) => state_type === 'COMPLETED');
  if (completed.length === 0) return null;
  return completed.reduce((sum, { run_time }) => sum + run_time, 0) / completed.length;
}

type Plan = StoredPlan & ReturnType<typeof datesOf> & { readonly run_time: number | null };

/** Clashes of the deployments' limits and of the pools' limits. */
function allClashes(plans: readonly Plan[]) {
  return [
    ...clashesByLimit(plans, 'concurrency_limit', (plan) => ({
      id: plan.limit_id,
      limit: plan.limit_slots,
      // A limit of one deployment is named after its id.
      name: plan.limit_name?.startsWith('deployment:') ? plan.deployment_name : plan.limit_name,
    })),
    ...clashesByLimit(plans, 'work_pool', (plan) => ({
      id: plan.pool_id,
      limit: plan.pool_slots,
      name: plan.pool_name,
    })),
  ];
}

interface LimitOfPlan {
  readonly id: string | null;
  readonly name: string | null;
  readonly limit: number | null;
}

function clashesByLimit(
  plans: readonly Plan[],
  type: 'concurrency_limit' | 'work_pool',
  limitOf: (plan: Plan) => LimitOfPlan,
) {
  const groups = Map.groupBy(plans, (plan) => limitOf(plan).id);
  return [...groups].flatMap(([id, members]) => {
    const [first] = members as [Plan];
    const { name, limit } = limitOf(first);
    if (id === null || limit === null || name === null) return [];
    const planned = members.map(({ times, run_time }) => ({
      starts: times.map((time) => Date.parse(time)),
      durationMilliseconds: (run_time ?? 0) * 1000,
    }));
    const found = clashesOf(planned, limit);
    if (found.length === 0) return [];
    const spans = found
      .slice(0, MOST_CLASHES)
      .map(({ start, end, peak }) => ({ start: at(start), end: at(end), peak }));
    return [{ type, id, name, limit, schedule_ids: members.map((plan) => plan.id), count: found.length, spans }];
  });
}

function at(milliseconds: number): Timestamp {
  return timestampFromMicroseconds(Math.round(milliseconds * 1000));
}

/** The next times of a schedule that need not be stored. Throws Unprocessable for one that is too costly to compute. */
export function readScheduleTimes({ now }: Context, { schedule, count }: ScheduleTimesBody) {
  const times: Timestamp[] = [];
  try {
    const dates = scheduleDates(
      storedSchedule(schedule, now),
      now,
      addSeconds(now, FAR_AHEAD_SECONDS),
      new WorkBudget(MAX_STEPS),
    );
    for (const date of dates) {
      times.push(momentOf(date));
      if (times.length >= count) break;
    }
  } catch (error) {
    if (!(error instanceof ScheduleTooCostly)) throw error;
    if (times.length === 0) throw new Unprocessable(error.message);
  }
  return { times };
}
