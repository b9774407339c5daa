import { cronFault } from '../../src/schedules/cron.ts';
import { recurrenceFault } from '../../src/schedules/recurrence.ts';
import { pythonText, scheduleDates } from '../../src/schedules/schedule-dates.ts';
import { WorkBudget } from '../../src/schedules/work-budget.ts';
import { jsonTextOf } from '../../src/values/json.ts';
import type { DateRequest } from './date-request.ts';

/** The first dates of a schedule as texts, or the reason why there are none. */
export function datesOf({ schedule, start, end, count }: DateRequest): string[] | { fault: string } {
  const { cron, rrule } = schedule;
  const fault =
    typeof cron === 'string' ? cronFault(cron) : typeof rrule === 'string' ? recurrenceFault(rrule) : undefined;
  if (fault) return { fault };
  try {
    const dates = scheduleDates(jsonTextOf(schedule), start, end, new WorkBudget(1_000_000));
    return dates.take(count).map(pythonText).toArray();
  } catch (error) {
    return { fault: String(error) };
  }
}
