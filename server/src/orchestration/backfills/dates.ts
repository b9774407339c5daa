/** The dates of a backfill. */
import type { Context } from '../../context/context.ts';
import type { Db } from '../../database/store.ts';
import { found, notFound, Unprocessable } from '../../errors.ts';
import { momentOf, scheduleDates } from '../../schedules/schedule-dates.ts';
import { ScheduleTooCostly, WorkBudget } from '../../schedules/work-budget.ts';
import type { JsonText } from '../../values/json.ts';
import type { Timestamp } from '../../values/time.ts';
import { hasDeployment } from '../deployments/queries.ts';
import { listSchedules } from '../deployments/schedules/queries.ts';
import { storedSchedule } from '../deployments/schedules/stored-schedule.ts';
import { type BackfillRange, MOST_DATES } from './schema.ts';

/** Steps for computing the dates: some tens of milliseconds. */
const MAX_STEPS = 50_000;

interface PlannedDates {
  readonly schedule: JsonText;
  readonly dates: readonly Timestamp[];
}

/**
 * The dates of the schedule within the range, ascending. Throws NotFound for a deployment or schedule that does not
 * exist, and Unprocessable for a range in the future, without a date, or with more dates than a backfill may have.
 */
export async function planDates({ now }: Context, db: Db, range: BackfillRange): Promise<PlannedDates> {
  const { start_time, end_time } = range;
  if (end_time > now) throw new Unprocessable('end_time: must not be in the future.');
  const schedule = await scheduleOf(db, range);
  const dates = datesWithin(schedule, start_time, end_time);
  if (dates.length === 0) throw new Unprocessable('The schedule has no date between start_time and end_time.');
  if (dates.length > MOST_DATES) {
    throw new Unprocessable(`The schedule has more than ${MOST_DATES} dates in this range. Give a shorter one.`);
  }
  return { schedule, dates };
}

async function scheduleOf(db: Db, { deployment_id, schedule, schedule_id, start_time }: BackfillRange) {
  if (!(await hasDeployment(db, deployment_id))) notFound('Deployment not found.');
  if (schedule) return storedSchedule(schedule, start_time);
  const stored = (await db.all(listSchedules, { deployment_id })).find(({ id }) => id === schedule_id);
  return found(stored, 'Schedule not found.').schedule;
}

function datesWithin(schedule: JsonText, start: Timestamp, end: Timestamp): Timestamp[] {
  const dates: Timestamp[] = [];
  try {
    for (const date of scheduleDates(schedule, start, end, new WorkBudget(MAX_STEPS))) {
      dates.push(momentOf(date));
      if (dates.length > MOST_DATES) break;
    }
  } catch (error) {
    if (error instanceof ScheduleTooCostly) throw new Unprocessable(error.message);
    throw error;
  }
  return dates;
}
