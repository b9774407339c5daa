import { randomBytes, randomUUID } from 'node:crypto';

/** A random id (UUIDv4). */
export function newId(): string {
  return randomUUID();
}

const pool = Buffer.alloc(4096);
let used = pool.length;
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
  if (used + 8 > pool.length) {
    randomBytes(pool.length).copy(pool);
    used = 0;
  }
  const time = lastMilliseconds.toString(16).padStart(12, '0');
  const random = pool.toString('hex', used, used + 8);
  used += 8;
  const variant = ((Number.parseInt(random.charAt(0), 16) & 0x3) | 0x8).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${sequence.toString(16).padStart(3, '0')}-${variant}${random.slice(1, 4)}-${random.slice(4)}`;
}

/** True for the one spelling of a UUID that path segments accept: 36 characters with dashes, any case. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);
}

/** An id as the store keeps it: lower-case, with dashes. `text` has 32 hexadecimal digits, with or without dashes. */
export function normalUuid(text: string): string {
  const digits = text.replaceAll('-', '').toLowerCase();
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-${digits.slice(12, 16)}-${digits.slice(16, 20)}-${digits.slice(20)}`;
}
