import { randomBytes, randomUUID } from 'node:crypto';

/** A random id (UUIDv4). */
export function newId(): string {
  return randomUUID();
}

const RANDOM_BYTES = 4096;
/** Random hexadecimal digits, and the number of digits already used. */
let pool = '';
let used = 0;
let lastMilliseconds = 0;
let sequence = 0;

/**
 * A time-ordered id (UUIDv7): ids made later by this process sort later, so the default order "newest first by id"
 * holds and indexes grow at their end. 12 bits count within a millisecond, 62 bits are random.
 */
export function newTimeOrderedId(): string {
  const now = Date.now();
  if (now > lastMilliseconds) {
    lastMilliseconds = now;
    sequence = 0;
  } else if (++sequence > 0xfff) {
    lastMilliseconds++;
    sequence = 0;
  }
  return timeOrdered(lastMilliseconds, sequence, randomDigits());
}

/**
 * A time-ordered id (UUIDv7) that contains its time to the microsecond, so that rows are found by time through their
 * id. Two ids of one microsecond differ and have no order.
 */
export function idAt(microseconds: number): string {
  const milliseconds = Math.floor(microseconds / 1000);
  return timeOrdered(milliseconds, microseconds - milliseconds * 1000, randomDigits());
}

/** Sorts before every id that `idAt` makes at this time or later. */
export function firstIdAt(microseconds: number): string {
  const time = Math.max(microseconds, 0);
  const milliseconds = Math.floor(time / 1000);
  return timeOrdered(milliseconds, time - milliseconds * 1000, '0000000000000000');
}

/**
 * The milliseconds of the last id, and their digits with the version: a busy server makes several ids in a millisecond.
 */
let writtenMilliseconds = -1;
let written = '';

/** `random` has 16 hexadecimal digits; the variant replaces the first two bits. */
function timeOrdered(milliseconds: number, within: number, random: string): string {
  if (milliseconds !== writtenMilliseconds) {
    const time = milliseconds.toString(16).padStart(12, '0');
    written = `${time.slice(0, 8)}-${time.slice(8)}-7`;
    writtenMilliseconds = milliseconds;
  }
  const variant = '89ab89ab89ab89ab'.charAt('0123456789abcdef'.indexOf(random.charAt(0)));
  const digits = (within + 0x1000).toString(16).slice(1);
  return `${written}${digits}-${variant}${random.slice(1, 4)}-${random.slice(4)}`;
}

function randomDigits(): string {
  if (used + 16 > pool.length) {
    pool = randomBytes(RANDOM_BYTES).toString('hex');
    used = 0;
  }
  used += 16;
  return pool.slice(used - 16, used);
}

/** Sort before and after every id of a row; no row has them. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000';
export const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** True for the one spelling of a UUID that path segments accept: 36 characters with dashes, any case. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);
}

/** The id that a text spells, with or without dashes, in the stored form. */
export function uuidSpelledBy(text: string): string | undefined {
  return isUuid(text) || /^[0-9a-f]{32}$/i.test(text) ? normalUuid(text) : undefined;
}

/** The id in a path segment, in the stored form. A text that is not a UUID becomes an id that no row has. */
export function idNamedBy(text: string): string {
  return isUuid(text) ? text.toLowerCase() : FIRST_ID;
}

/** An id in the stored form: lower-case, with dashes. `text` has 32 hexadecimal digits, with or without dashes. */
export function normalUuid(text: string): string {
  const digits = text.replaceAll('-', '').toLowerCase();
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-${digits.slice(12, 16)}-${digits.slice(16, 20)}-${digits.slice(20)}`;
}
