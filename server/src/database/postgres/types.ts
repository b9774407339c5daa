import type { Timestamp } from '../../values/time.ts';

/**
 * Type numbers of PostgreSQL's catalogue (pg_type.oid) that the driver decodes differently from the rows of the code.
 */
export const decoders: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [20 /* bigint */, Number],
  [1700 /* numeric */, Number],
  [1184 /* timestamptz */, decodeTimestamp],
]);

/** The session runs in UTC, so the text is `2026-11-20 15:59:20.43176+00`, without trailing zeros of the fraction. */
function decodeTimestamp(text: string): Timestamp {
  const fraction = text.charAt(19) === '.' ? text.slice(20, text.length - 3) : '';
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(6, '0')}Z` as Timestamp;
}
