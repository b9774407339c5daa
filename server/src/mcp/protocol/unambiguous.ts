/**
 * Finds ambiguities in JSON text: a key that occurs twice in an object, and a key that a case-insensitive reader would
 * take for another. The gateway decides on the parsed message and forwards the bytes, so such a text is refused.
 */

import { endOfString } from './count-values.ts';
import type { JsonObject } from './message.ts';

const QUOTE = 0x22;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

/** Deeper texts are refused, because no message of the protocol needs them. */
const MAX_DEPTH = 100;

/**
 * The ambiguity in a text, or undefined. `text` is well-formed JSON of `value`. A parser keeps one of two equal keys in
 * an object, so the text then has more keys than the value, in any spelling.
 */
export function ambiguityOf(text: string, value: unknown): string | undefined {
  let keys = 0;
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    switch (text.charCodeAt(index)) {
      case QUOTE:
        index = endOfString(text, index);
        break;
      case COLON:
        keys += 1;
        break;
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        depth += 1;
        if (depth > MAX_DEPTH) return `The message is nested more than ${MAX_DEPTH} levels deep.`;
        break;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        depth -= 1;
        break;
    }
  }
  return keys === keysIn(value) ? undefined : 'An object contains the same key twice.';
}

/** The keys of all objects in a value that was read from JSON. */
function keysIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let keys = 0;
  if (Array.isArray(value)) {
    for (const one of value) keys += keysIn(one);
  } else {
    for (const key in value) keys += 1 + keysIn((value as JsonObject)[key]);
  }
  return keys;
}

/**
 * A longer key cannot differ from a name only in case, because folding does not shorten it. Folding a key of megabytes
 * takes long.
 */
const MAX_NAME_LENGTH = 64;

/** The names of a protocol's keys, with their lower-case spellings. */
export class KeyNames {
  readonly #exact: ReadonlySet<string>;
  readonly #folded: ReadonlySet<string>;

  constructor(...names: readonly string[]) {
    this.#exact = new Set(names);
    this.#folded = new Set(names.map(foldCase));
  }

  /**
   * True when a key of `value` differs from one of these only in case, for example `Method` or `ſtatus`. Readers that
   * fold case (Go's among them) would take it for the real one.
   */
  hasLookalikeIn(value: object): boolean {
    for (const key in value) {
      if (key.length > MAX_NAME_LENGTH) continue;
      if (!this.#exact.has(key) && this.#folded.has(foldCase(key))) return true;
    }
    return false;
  }
}

const ASCII = /^[\x20-\x7e]*$/;

/** Folds a text like readers that ignore case or width. */
export function foldCase(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return text.normalize('NFKC').toLowerCase();
}
