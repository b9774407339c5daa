/** A time span in an address: `24h`, `7d`, or two times with a slash between them. */
const SECONDS: Readonly<Record<string, number>> = { m: 60, h: 3600, d: 86_400 };

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
  const [, count, unit = ''] = /^(\d{1,4})([mhd])$/.exec(text ?? DEFAULT_SPAN) ?? [];
  if (count !== undefined) {
    const seconds = Number(count) * (SECONDS[unit] ?? 1);
    return { start: iso(now - seconds * 1000), end: iso(now + seconds * 25) };
  }
  const [start = '', end = ''] = (text ?? '').split('/');
  const isRead = !Number.isNaN(Date.parse(start)) && !Number.isNaN(Date.parse(end));
  return isRead ? { start, end } : readSpan(DEFAULT_SPAN, now);
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
