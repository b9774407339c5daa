/**
 * Reads recurrence texts (RFC 5545): one rule, or lines of `DTSTART`, `RRULE`, `EXRULE`, `RDATE` and `EXDATE`. Lines
 * may stand on one line, separated by white space, and letters may be lower case. Source: the Prefect server 3.9.1,
 * which was given each text of recurrence.test.ts; the error messages are the reference's.
 */
import { type Frequency, parseRule, type RecurrenceRule } from './recurrence-rule.ts';
import { fault, parseRuleTime, RecurrenceFault, type RuleTime } from './recurrence-time.ts';

export interface Recurrence {
  /** Undefined when the text has no `DTSTART`. */
  readonly start: RuleTime | undefined;
  readonly rules: readonly RecurrenceRule[];
  readonly excludedRules: readonly RecurrenceRule[];
  readonly dates: readonly RuleTime[];
  readonly excludedDates: readonly RuleTime[];
}

const MAX_LENGTH = 6500;
const SHOWN_LENGTH = 40;
/** The beginning of a series that names none: a wall clock time in the schedule's zone. */
export const ANCHOR = Temporal.PlainDateTime.from('2020-01-01T00:00:00');

/** The error message for the text, undefined when it can be read. */
export function recurrenceFault(text: string): string | undefined {
  try {
    const { start } = parseRecurrence(text);
    // Refuses a rule that could never fire from its future beginning.
    if (!start && !endsInUtc(text)) parseRecurrence(anchored(text, ANCHOR));
  } catch (error) {
    if (!(error instanceof RecurrenceFault)) throw error;
    return `Invalid RRule string "${text}": ${error.message}`;
  }
  if (text.length <= MAX_LENGTH) return undefined;
  return `Invalid RRule string "${text.slice(0, SHOWN_LENGTH)}..."\nMax length is ${MAX_LENGTH}, got ${text.length}`;
}

/**
 * The text with a beginning, so that a series does not depend on the time at which it is evaluated. `now` is the wall
 * clock of the schedule's zone: rules that fire every few minutes or seconds begin shortly before it, in step with the
 * anchor, which saves walking there. A text with a `DTSTART`, or with an end that does not go with one, stays as it is.
 */
export function withStart(text: string, now: Temporal.PlainDateTime): string {
  if (/dtstart/i.test(text) || endsInUtc(text)) return text;
  return anchored(text, stepBefore(now, parseRecurrence(text)));
}

const stepSeconds: Partial<Record<Frequency, number>> = { MINUTELY: 60, SECONDLY: 1 };

function stepBefore(now: Temporal.PlainDateTime, recurrence: Recurrence): Temporal.PlainDateTime {
  const { rules, excludedRules, dates, excludedDates } = recurrence;
  const [rule] = rules;
  const isSingle = rules.length === 1 && excludedRules.length + dates.length + excludedDates.length === 0;
  const unit = rule && isSingle && rule.count === undefined ? stepSeconds[rule.frequency] : undefined;
  if (!rule || unit === undefined) return ANCHOR;
  const step = unit * rule.interval;
  const elapsed = ANCHOR.until(now, { largestUnit: 'second' }).seconds;
  return ANCHOR.add({ seconds: Math.floor(elapsed / step) * step });
}

function anchored(text: string, start: Temporal.PlainDateTime): string {
  return `DTSTART:${start.toString({ smallestUnit: 'second' }).replace(/[-:]/g, '')}\n${text}`;
}

/** An end in UTC requires a beginning in UTC, and the anchor is not in UTC. */
function endsInUtc(text: string): boolean {
  const { rules, excludedRules } = parseRecurrence(text);
  return [...rules, ...excludedRules].some((rule) => rule.until?.zone !== undefined);
}

/** Throws RecurrenceFault. */
export function parseRecurrence(text: string): Recurrence {
  const lines = text
    .toUpperCase()
    .split(/\s+/)
    .filter((line) => line !== '');
  const [only] = lines;
  if (only === undefined) return fault('empty string');
  if (lines.length === 1 && (!only.includes(':') || only.startsWith('RRULE:'))) {
    return {
      start: undefined,
      rules: [parseRule(ruleIn(only), undefined)],
      excludedRules: [],
      dates: [],
      excludedDates: [],
    };
  }
  return parseLines(lines);
}

function ruleIn(line: string): string {
  const parts = line.split(':');
  if (parts.length > 2) fault('too many values to unpack (expected 2)');
  return parts.at(-1) ?? '';
}

function parseLines(lines: readonly string[]): Recurrence {
  const rules: string[] = [];
  const excludedRules: string[] = [];
  const dates: RuleTime[] = [];
  const excludedDates: RuleTime[] = [];
  let start: RuleTime | undefined;
  for (const line of lines) {
    const colon = line.indexOf(':');
    const value = line.slice(colon + 1);
    const [name, ...options] = colon < 0 ? ['RRULE'] : line.slice(0, colon).split(';');
    const [option] = options;
    switch (name) {
      case 'RRULE':
      case 'EXRULE':
        if (option !== undefined) fault(`unsupported ${name} parm: ${option}`);
        (name === 'RRULE' ? rules : excludedRules).push(value);
        break;
      case 'RDATE':
        for (const given of options) if (given !== 'VALUE=DATE-TIME') fault(`unsupported RDATE parm: ${given}`);
        dates.push(...value.split(',').map((time) => parseRuleTime(time)));
        break;
      case 'EXDATE':
        excludedDates.push(...timesIn(value, options));
        break;
      case 'DTSTART': {
        const times = timesIn(value, options);
        if (times.length > 1) fault(`Multiple DTSTART values specified:${value}`);
        start = times[0];
        break;
      }
      default:
        fault(`unsupported property: ${name}`);
    }
  }
  if (rules.length + excludedRules.length + dates.length + excludedDates.length === 0) fault('no rule and no date');
  return {
    start,
    rules: rules.map((rule) => parseRule(ruleIn(rule), start)),
    excludedRules: excludedRules.map((rule) => parseRule(ruleIn(rule), start)),
    dates,
    excludedDates,
  };
}

/** Values of `DTSTART` and `EXDATE`, whose options may name a zone. */
function timesIn(value: string, options: readonly string[]): RuleTime[] {
  let zone: string | undefined;
  let hasKind = false;
  for (const option of options) {
    if (option.startsWith('TZID=')) {
      zone = option.slice('TZID='.length) || undefined;
    } else if (option === 'VALUE=DATE' || option === 'VALUE=DATE-TIME') {
      if (hasKind) fault(`Duplicate value parameter found in: ${option}`);
      hasKind = true;
    } else {
      fault(`unsupported parm: ${option}`);
    }
  }
  return value.split(',').map((text) => {
    const time = parseRuleTime(text);
    if (zone && time.zone) fault('DTSTART/EXDATE specifies multiple timezone');
    return zone ? { ...time, zone } : time;
  });
}
