/**
 * Finds what two readers of one JSON text could understand differently: a key that stands twice in an object, and a key
 * that a reader without regard for case would take for another. The gateway decides on what it parsed and forwards the
 * bytes, so such a text is refused.
 */

import { endOfString } from './count-values.ts';

const QUOTE = 0x22;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

/** Deeper texts are refused: no message of the protocol needs it. */
const MAX_DEPTH = 100;

/** The ambiguity in the text, or undefined. `text` is well-formed JSON. */
export function ambiguityOf(text: string): string | undefined {
  // The keys of each object that is open; undefined for an array.
  const open: (Keys | undefined)[] = [];
  let keys: Keys | undefined;
  for (let index = 0; index < text.length; index++) {
    switch (text.charCodeAt(index)) {
      case QUOTE: {
        const start = index;
        index = endOfString(text, index);
        if (!keys || !isKey(text, index)) break;
        if (!keys.add(keyOf(text, start, index))) return 'An object contains the same key twice.';
        break;
      }
      case OPEN_OBJECT:
        keys = new Keys();
        open.push(keys);
        if (open.length > MAX_DEPTH) return `The message is nested more than ${MAX_DEPTH} levels deep.`;
        break;
      case OPEN_ARRAY:
        keys = undefined;
        open.push(keys);
        if (open.length > MAX_DEPTH) return `The message is nested more than ${MAX_DEPTH} levels deep.`;
        break;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        open.pop();
        keys = open[open.length - 1];
        break;
    }
  }
  return undefined;
}

/** Up to this many keys a list is faster than a set; with more it would take time that grows with their square. */
const FEW_KEYS = 16;

class Keys {
  readonly #few: string[] = [];
  #many: Set<string> | undefined;

  /** False when the key is there already. */
  add(key: string): boolean {
    if (this.#many) return this.#many.size < this.#many.add(key).size;
    if (this.#few.includes(key)) return false;
    this.#few.push(key);
    if (this.#few.length > FEW_KEYS) this.#many = new Set(this.#few);
    return true;
  }
}

function isKey(text: string, end: number): boolean {
  for (let index = end + 1; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code > 0x20) return code === COLON;
  }
  return false;
}

/** Two spellings of one key are one key. */
function keyOf(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end);
  return raw.includes('\\') ? (JSON.parse(text.slice(start, end + 1)) as string) : raw;
}

/** No longer key differs from a name only in case: folding does not shorten it. Folding a key of megabytes takes long. */
const MAX_NAME_LENGTH = 64;

/** The names of a protocol's keys, with their spellings in lower case. */
export class KeyNames {
  readonly #exact: ReadonlySet<string>;
  readonly #folded: ReadonlySet<string>;

  constructor(...names: readonly string[]) {
    this.#exact = new Set(names);
    this.#folded = new Set(names.map(foldCase));
  }

  /**
   * True when a key of `value` is one of these but for case, for example `Method` or `ſtatus`. Readers that fold case
   * (Go's among them) would take it for the real one.
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

/** As readers without regard for case or width take a text. */
export function foldCase(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return text.normalize('NFKC').toLowerCase();
}
