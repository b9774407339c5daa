/** The dialog's model of a schedule. */
import type { DeploymentSchedule } from './queries.ts';

export type Kind = 'cron' | 'interval' | 'rrule';
export type Schedule = DeploymentSchedule['schedule'];

export const kinds: readonly (readonly [Kind, string])[] = [
  ['cron', 'Cron'],
  ['interval', 'Interval'],
  ['rrule', 'Recurrence rule'],
];
export const units = { minutes: 60, hours: 3600, days: 86_400 } as const;
export type Unit = keyof typeof units;

export interface Draft {
  readonly kind: Kind;
  readonly cron: string;
  readonly every: string;
  readonly unit: Unit;
  readonly rrule: string;
  readonly zone: string;
  readonly parameters: string;
}

/** A new one starts with nine o'clock in the zone of the browser. */
export function draftOf(given: DeploymentSchedule | undefined): Draft {
  const schedule = given?.schedule;
  const seconds = schedule && 'interval' in schedule ? schedule.interval : 3600;
  const unit = (['days', 'hours', 'minutes'] as const).find((one) => seconds % units[one] === 0) ?? 'minutes';
  return {
    kind: schedule && 'interval' in schedule ? 'interval' : schedule && 'rrule' in schedule ? 'rrule' : 'cron',
    cron: schedule && 'cron' in schedule ? schedule.cron : '0 9 * * *',
    every: String(seconds / units[unit]),
    unit,
    rrule: schedule && 'rrule' in schedule ? schedule.rrule : 'FREQ=WEEKLY;BYDAY=MO,WE;BYHOUR=9;BYMINUTE=0',
    zone: schedule?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    parameters:
      given?.parameters && Object.keys(given.parameters).length > 0 ? JSON.stringify(given.parameters, null, 2) : '',
  };
}

export function scheduleOf({ kind, cron, every, unit, rrule, zone }: Draft, old: Schedule | undefined): Schedule {
  if (kind === 'cron') return { cron: cron.trim(), timezone: zone, day_or: old && 'cron' in old ? old.day_or : true };
  if (kind === 'rrule') return { rrule: rrule.trim(), timezone: zone };
  // An interval that keeps its anchor keeps its times.
  const anchor = old && 'interval' in old ? { anchor_date: old.anchor_date } : {};
  return { interval: Number(every) * units[unit], timezone: zone, ...anchor };
}
