/** When deployments run next: at the next stored run, or at a date of a schedule whose runs are not made yet. */
import type { Context } from '../../../context/context.ts';
import { nextTurn } from '../../../fairness/turns.ts';
import { momentOf, scheduleDates } from '../../../schedules/schedule-dates.ts';
import { WorkBudget } from '../../../schedules/work-budget.ts';
import type { JsonText } from '../../../values/json.ts';
import { addSeconds, type Timestamp } from '../../../values/time.ts';
import type { ScheduleRow } from '../../deployments/schedules/queries.ts';
import { findNextRuns } from './recent-runs.ts';

/** Steps for finding the next date of one schedule: a few milliseconds. */
const MAX_STEPS = 5_000;
/** The next date of a schedule is searched this far ahead. */
const FAR_AHEAD_SECONDS = 4 * 366 * 86_400;

interface Scheduled {
  readonly id: string;
  readonly paused: boolean;
  /** When the scheduler makes the next runs; null for a deployment that gets none. */
  readonly schedule_due: Timestamp | null;
}

interface NextStart {
  /** The run; null if the scheduler has yet to make it. */
  readonly id: string | null;
  readonly name: string | null;
  readonly start: Timestamp | null;
}

/**
 * The next start by the id of its deployment. After a change of a schedule its runs are deleted, and the scheduler makes
 * new ones some seconds later; until then the dates say what comes. They also do for a schedule that is further ahead
 * than runs are made.
 */
export async function findNextStarts(
  { db, now }: Context,
  deployments: readonly Scheduled[],
  schedules: ReadonlyMap<string, readonly ScheduleRow[]>,
): Promise<ReadonlyMap<string, NextStart>> {
  const ids = deployments.map(({ id }) => id);
  const starts = new Map<string, NextStart>(await findNextRuns(db, 'deployment', ids, now));
  for (const { id, paused, schedule_due } of deployments) {
    const stored = starts.get(id);
    const isWaiting = schedule_due !== null && schedule_due <= now;
    if (paused || (stored && !isWaiting)) continue;
    const active = (schedules.get(id) ?? []).filter((schedule) => schedule.active);
    if (active.length === 0) continue;
    await nextTurn();
    const [planned] = active.flatMap(({ schedule }) => nextDate(schedule, now) ?? []).sort();
    if (planned && !(stored?.start && stored.start <= planned))
      starts.set(id, { id: null, name: null, start: planned });
  }
  return starts;
}

function nextDate(schedule: JsonText, now: Timestamp): Timestamp | undefined {
  try {
    const [date] = scheduleDates(schedule, now, addSeconds(now, FAR_AHEAD_SECONDS), new WorkBudget(MAX_STEPS));
    return date && momentOf(date);
  } catch {
    // The schedule may come from other software. The scheduler logs it.
    return undefined;
  }
}
