/**
 * Caches filtered lists. Filtering parses and prints the whole answer, and most answers to a list differ only in their
 * id. An entry is the result of one view of one policy version for exactly these bytes, so it can never be another
 * actor's list or an older one. The actor and the view are determined for each request.
 */
import type { MessageId } from '../../protocol/message.ts';

/** Bytes of all cached lists; the oldest are dropped first. */
const MAX_BYTES = 32 * 1024 * 1024;
/** A larger list is filtered each time. */
const MAX_LIST_BYTES = 1024 * 1024;

interface Kept {
  /** The bytes before the id; `tail` contains those after it. */
  readonly head: Buffer;
  readonly tail: Buffer;
  readonly filteredHead: string;
  readonly filteredTail: string;
  readonly bytes: number;
}

export class KeptLists {
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  /** The filtered answer, if the same one was filtered for this view before. */
  find(key: string, id: MessageId, body: Buffer): Buffer | undefined {
    const kept = this.#kept.get(key);
    if (!kept) return undefined;
    const idText = JSON.stringify(id);
    const idBytes = Buffer.byteLength(idText);
    if (body.length !== kept.head.length + idBytes + kept.tail.length) return undefined;
    if (kept.head.compare(body, 0, kept.head.length) !== 0) return undefined;
    if (kept.tail.compare(body, kept.head.length + idBytes) !== 0) return undefined;
    if (body.toString('utf8', kept.head.length, kept.head.length + idBytes) !== idText) return undefined;
    return Buffer.from(kept.filteredHead + idText + kept.filteredTail);
  }

  keep(key: string, id: MessageId, body: Buffer, filtered: string): void {
    const [head, tail] = aroundId(body.toString('utf8'), id) ?? [];
    const [filteredHead, filteredTail] = aroundId(filtered, id) ?? [];
    if (head === undefined || tail === undefined || filteredHead === undefined || filteredTail === undefined) return;
    const bytes = body.length + filtered.length;
    if (bytes > MAX_LIST_BYTES) return;
    this.#remove(key);
    this.#kept.set(key, { head: Buffer.from(head), tail: Buffer.from(tail), filteredHead, filteredTail, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= MAX_BYTES) break;
      this.#remove(oldest);
    }
  }

  #remove(key: string): void {
    this.#bytes -= this.#kept.get(key)?.bytes ?? 0;
    this.#kept.delete(key);
  }
}

/** The text before and after the id of the message; undefined when the id is not in its usual place. */
function aroundId(text: string, id: MessageId): [head: string, tail: string] | undefined {
  const written = `"id":${JSON.stringify(id)}`;
  const first = text.indexOf(written);
  // A second one could be an id within the list, and the text does not show which one is the message's own.
  if (first < 0 || text.indexOf('"id":', first + 5) >= 0 || text.indexOf('"id":') !== first) return undefined;
  const after = text[first + written.length];
  if (after !== ',' && after !== '}') return undefined;
  const start = first + '"id":'.length;
  return [text.slice(0, start), text.slice(first + written.length)];
}
