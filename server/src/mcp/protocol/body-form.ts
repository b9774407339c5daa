/** What a body is by its first bytes: some servers call JSON an event stream, or the reverse. */

const SPACE: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);
const BYTE_ORDER_MARK = Buffer.from('\uFEFF');
const EVENT_FIELD = /^(?::|(?:event|data|id|retry):)/;
const LONGEST_FIELD = 6;

/** An object or a list. */
export function beginsLikeJson(chunk: Buffer): boolean {
  const begin = contentOf(chunk);
  let index = 0;
  while (SPACE.has(begin[index] ?? 0)) index++;
  return begin[index] === 0x7b || begin[index] === 0x5b;
}

export function beginsLikeEvents(chunk: Buffer): boolean {
  return EVENT_FIELD.test(contentOf(chunk).toString('latin1', 0, LONGEST_FIELD));
}

function contentOf(chunk: Buffer): Buffer {
  return chunk.subarray(0, 3).equals(BYTE_ORDER_MARK) ? chunk.subarray(3) : chunk;
}
