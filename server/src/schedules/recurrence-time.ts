/** Times inside recurrence texts. */

/** The text is not a recurrence; the message says why. */
export class RecurrenceFault extends Error {
  override readonly name = 'RecurrenceFault';
}

export function fault(reason: string): never {
  throw new RecurrenceFault(reason);
}

export interface RuleTime {
  readonly clock: Temporal.PlainDateTime;
  /** `Z`, an offset or the name of a zone in capitals; undefined for a wall clock time. */
  readonly zone: string | undefined;
}

const TIME =
  /^(?<year>\d{4})-?(?<month>\d\d)-?(?<day>\d\d)(?:T(?<hour>\d\d)(?::?(?<minute>\d\d)(?::?(?<second>\d\d)(?:\.\d+)?)?)?(?<zone>Z|[-+]\d\d:?\d\d)?)?$/;

/** Throws RecurrenceFault. Only ISO 8601 dates are read. */
export function parseRuleTime(text: string): RuleTime {
  if (text === '') return fault('String does not contain a date: ');
  const groups = TIME.exec(text)?.groups;
  if (!groups) return fault(`Unknown string format: ${text}`);
  const part = (name: string) => Number(groups[name] ?? 0);
  const [year, month, day] = [part('year'), part('month'), part('day')];
  const [hour, minute, second] = [part('hour'), part('minute'), part('second')];
  if (year === 0) fault(`year 0 is out of range: ${text}`);
  if (month < 1 || month > 12) fault(`month must be in 1..12: ${text}`);
  if (hour > 23) fault(`hour must be in 0..23: ${text}`);
  if (minute > 59) fault(`minute must be in 0..59: ${text}`);
  if (second > 59) fault(`second must be in 0..59: ${text}`);
  const clock = Temporal.PlainDateTime.from({ year, month, day: 1, hour, minute, second });
  if (day < 1 || day > clock.daysInMonth) fault(`day is out of range for month: ${text}`);
  return { clock: clock.with({ day }), zone: groups['zone'] };
}
