/** A time span in an address: `24h`, `7d`, or two times with a slash between them, of which each may be relative. */
import { shortTime } from './time.ts';

const SECONDS: Readonly<Record<string, number>> = { m: 60, h: 3600, d: 86_400, w: 604_800 };
const UNITS: Readonly<Record<string, string>> = { m: 'minutes', h: 'hours', d: 'days', w: 'weeks' };
const RELATIVE = /^(\d{1,4})([mhdw])$/;

export interface Span {
  readonly start: string;
  readonly end: string;
}

export const spans = [
  ['1h', 'Last hour'],
  ['24h', 'Last day'],
  ['7d', 'Last week'],
  ['30d', 'Last 30 days'],
] as const;

export const DEFAULT_SPAN = '24h';

/** A relative span ends a little later than now, so that it contains runs that are about to start. */
export function readSpan(text: string | undefined, now: number): Span {
  const seconds = secondsIn(text ?? DEFAULT_SPAN);
  if (seconds !== undefined) return { start: iso(now - seconds * 1000), end: iso(now + seconds * 25) };
  const [start, end] = (text ?? '').split('/').map((side) => timeOf(side, now));
  return start !== undefined && end !== undefined && start < end
    ? { start: iso(start), end: iso(end) }
    : readSpan(DEFAULT_SPAN, now);
}

/** Like `readSpan`, for what has happened: a relative span ends now. */
export function readPast(text: string | undefined, now: number): Span {
  const { start, end } = readSpan(text, now);
  return { start, end: isRelative(text) ? iso(now) : end };
}

/** True if the span moves with the time: it shows something else tomorrow. */
export function isRelative(text: string | undefined): boolean {
  return secondsIn(text ?? DEFAULT_SPAN) !== undefined || !text?.includes('/');
}

/** `Last week`, `Last 3 hours`, or the two times in the chosen zone. */
export function spanTitle(text: string): string {
  const known = spans.find(([value]) => value === text)?.[1];
  if (known) return known;
  const [, count, unit = ''] = RELATIVE.exec(text) ?? [];
  if (count !== undefined) return `Last ${count} ${count === '1' ? UNITS[unit]?.slice(0, -1) : UNITS[unit]}`;
  if (!text.includes('/')) return spanTitle(DEFAULT_SPAN);
  const [start = '', end = ''] = text.split('/');
  return `${sideTitle(start)} – ${sideTitle(end)}`;
}

function sideTitle(side: string): string {
  if (side === 'now') return side;
  return RELATIVE.test(side) ? `${side} ago` : Number.isNaN(Date.parse(side)) ? '?' : shortTime(side);
}

function secondsIn(text: string): number | undefined {
  const [, count, unit = ''] = RELATIVE.exec(text) ?? [];
  return count === undefined || count === '0' ? undefined : Number(count) * (SECONDS[unit] ?? 1);
}

function timeOf(side: string, now: number): number | undefined {
  const seconds = side === 'now' ? 0 : secondsIn(side);
  const time = seconds === undefined ? Date.parse(side) : now - seconds * 1000;
  return Number.isNaN(time) ? undefined : time;
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
