/**
 * Splits server-sent events and keeps their bytes: events are forwarded exactly as received, including `id`, `retry`
 * and comments. Source: HTML standard, "Server-sent events".
 */
const LF = 0x0a;
const CR = 0x0d;

/** A longer event ends the stream: no message of the protocol is that large. */
const MAX_EVENT_BYTES = 32 * 1024 * 1024;

export class EventTooLarge extends Error {}

/** Finds the ends of lines; the native search is far faster than checking each byte. */
class LineEnds {
  readonly #bytes: Buffer;
  #lf = -1;
  #cr = -1;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** The first byte after `index` that ends a line; the length if there is none. */
  next(index: number): number {
    if (this.#lf <= index) this.#lf = this.#find(LF, index);
    if (this.#cr <= index) this.#cr = this.#find(CR, index);
    return Math.min(this.#lf, this.#cr);
  }

  #find(byte: number, index: number): number {
    const found = this.#bytes.indexOf(byte, index + 1);
    return found === -1 ? this.#bytes.length : found;
  }
}

/** Cuts a stream after each event. */
export class EventSplitter {
  #parts: Buffer[] = [];
  #size = 0;
  /** Bytes of line ends at the end of the kept bytes: after two line ends an event is complete. */
  #lineEnds = 0;
  #afterCr = false;

  /** Bytes of the event that is not complete yet. */
  get size(): number {
    return this.#size;
  }

  /** The events that this piece completes, each with the empty line that ends it. Throws EventTooLarge. */
  push(chunk: Buffer): Buffer[] {
    const events: Buffer[] = [];
    const ends = new LineEnds(chunk);
    let start = 0;
    for (let index = 0; index < chunk.length; index++) {
      const byte = chunk[index];
      if (byte === LF && this.#afterCr) {
        // The second half of one line end; if it follows a complete event, it belongs to the next.
        this.#afterCr = false;
        continue;
      }
      this.#afterCr = byte === CR;
      if (byte !== LF && byte !== CR) {
        this.#lineEnds = 0;
        index = ends.next(index) - 1;
        continue;
      }
      this.#lineEnds += 1;
      if (this.#lineEnds < 2) continue;
      let end = index + 1;
      if (byte === CR && chunk[end] === LF) {
        end += 1;
        index += 1;
        this.#afterCr = false;
      }
      events.push(this.#take(chunk.subarray(start, end)));
      start = end;
      this.#lineEnds = 0;
    }
    if (start < chunk.length) {
      this.#parts.push(chunk.subarray(start));
      this.#size += chunk.length - start;
      if (this.#size > MAX_EVENT_BYTES) throw new EventTooLarge('An event of the server is too large.');
    }
    return events;
  }

  #take(last: Buffer): Buffer {
    const event = this.#parts.length === 0 ? last : Buffer.concat([...this.#parts, last]);
    this.#parts = [];
    this.#size = 0;
    return event;
  }
}

/** The text of an event's `data` lines; undefined when it has none. */
export function dataOf(event: Buffer): string | undefined {
  const lines: string[] = [];
  for (const line of event.toString('utf8').split(/\r\n|\r|\n/)) {
    if (line === 'data') lines.push('');
    else if (line.startsWith('data:')) lines.push(line.slice(line[5] === ' ' ? 6 : 5));
  }
  return lines.length === 0 ? undefined : lines.join('\n');
}

/** The event with other data; `data` is one line. */
export function withData(event: Buffer, data: string): Buffer {
  const lines = event.toString('utf8').split(/\r\n|\r|\n/);
  const kept = lines.filter((line) => line !== '' && line !== 'data' && !line.startsWith('data:'));
  return Buffer.from([...kept, `data: ${data}`, '', ''].join('\n'));
}

export function eventOf(message: unknown): Buffer {
  return Buffer.from(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
}

/** Wraps a bare message in an event. */
export function framed(text: Buffer): Buffer {
  const lines = text
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\r|\n/);
  return Buffer.from(`event: message\n${lines.map((line) => `data: ${line}\n`).join('')}\n`);
}

const ID_LINE = /^id: ?(.*)$/;

/** The event with another id; an event without one stays unchanged. */
export function withEventId(event: Buffer, idOf: (id: string) => string): Buffer {
  if (!event.includes('id')) return event;
  const lines = event.toString('utf8').split(/\r\n|\r|\n/);
  const at = lines.findLastIndex((line) => ID_LINE.test(line));
  if (at === -1) return event;
  lines[at] = `id: ${idOf(ID_LINE.exec(lines[at]!)![1]!)}`;
  return Buffer.from(lines.join('\n'));
}
