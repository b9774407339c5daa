import { withStart } from '../../../schedules/recurrence.ts';
import { compileEncoder } from '../../../schema/encode.ts';
import type { JsonText } from '../../../values/json.ts';
import { type Timestamp, wireTimestamp } from '../../../values/time.ts';
import { type ScheduleInput, ScheduleOutput } from './schema.ts';

const encodeSchedule = compileEncoder(ScheduleOutput) as (schedule: unknown) => JsonText;

/**
 * A schedule in the form in which it is stored and returned. An absent start or zone is fixed now, so that the series
 * stays the same; `schedules.test.ts` shows both.
 */
export function storedSchedule(given: ScheduleInput, now: Timestamp): JsonText {
  if ('interval' in given) {
    return encodeSchedule({
      ...given,
      anchor_date: given.anchor_date ?? wireTimestamp(now),
      timezone: given.timezone ?? 'UTC',
    });
  }
  if ('cron' in given) return encodeSchedule(given);
  const clock = Temporal.Instant.from(now)
    .toZonedDateTimeISO(given.timezone ?? 'UTC')
    .toPlainDateTime();
  return encodeSchedule({ ...given, rrule: withStart(given.rrule, clock) });
}
