/**
 * Reads a large JSON text piece by piece, so that other requests are served in between. It returns the same as
 * `parseJson`, except that large values in open parts stay text (`PrintedJson`): a value of small objects takes ten
 * times the memory of its text.
 */
import { isSpace } from './characters.ts';
import { keysInOrder, rememberOrder } from './key-order.ts';
import type { Layout } from './layout.ts';
import { endOfString } from './plain.ts';
import { PrintedJson } from './printed.ts';
import { JsonLimitError, JsonSyntaxError } from './reader.ts';
import { SeenTexts } from './seen-texts.ts';

/** Thrown for an object that is kept as text, when it may have a repeated key. */
class RepeatedKey extends Error {}

/** The parts that readers need as values are larger than the limit. */
export class LargeJsonError extends Error {
  override readonly name = 'LargeJsonError';
}

export interface LargeOptions {
  readonly maxDepth: number;
  /** Characters that are read between two turns of the event loop. */
  readonly pieceLength: number;
  /** Characters that may be parsed into values: in all, or for each item if the text is a list. */
  readonly maxBuilt: number;
  readonly parse: (text: string, maxDepth: number) => unknown;
  readonly print: (value: unknown) => string;
  /** Resolves when the next piece may be read. */
  readonly nextTurn: () => Promise<void>;
}

/** Receives the members of an object, or the items of an array. */
interface Sink {
  /** Takes consecutive small members, as one object or array. */
  takeAll(members: unknown): void;
  /** Takes a large member; `key` is undefined in an array. */
  take(key: string | undefined, value: unknown): void;
  end(): unknown | Promise<unknown>;
}

/** Throws JsonSyntaxError, JsonLimitError or LargeJsonError. */
export function readLargeJson(text: string, layout: Layout, options: LargeOptions): Promise<unknown> {
  return new LargeReader(text, options).read(layout);
}

class LargeReader {
  readonly #text: string;
  readonly #options: LargeOptions;
  #index = 0;
  #built = 0;
  #turnAt: number;
  #keysRepeat = false;

  constructor(text: string, options: LargeOptions) {
    this.#text = text;
    this.#options = options;
    this.#turnAt = options.pieceLength;
  }

  async read(layout: Layout): Promise<unknown> {
    try {
      return await this.#read(layout);
    } catch (error) {
      if (!(error instanceof RepeatedKey)) throw error;
      // Starts again from the beginning of the text. If each object restarted, nested ones would be read once for every
      // level.
      this.#keysRepeat = true;
      this.#index = 0;
      this.#built = 0;
      this.#turnAt = this.#options.pieceLength;
      return this.#read(layout);
    }
  }

  async #read(layout: Layout): Promise<unknown> {
    this.#skipSpace();
    const first = this.#text[this.#index];
    if (first !== '{' && first !== '[') return this.#parse(this.#text, 0, '', '', 0);
    const value = await this.#container(layout, 0);
    this.#skipSpace();
    if (this.#index < this.#text.length) this.#fail('Extra data', this.#index);
    return value;
  }

  /** Reads from the opening bracket to behind the closing one; `depth` is the number of containers around it. */
  async #container(layout: Layout, depth: number): Promise<unknown> {
    if (depth >= this.#options.maxDepth) throw new JsonLimitError('Too deeply nested', this.#text, this.#index);
    const { pieceLength } = this.#options;
    const isObject = this.#text[this.#index] === '{';
    const inside = layoutInside(layout, isObject);
    const isRootList = depth === 0 && !isObject && inside !== undefined;
    const sink = this.#sinkFor(inside !== undefined, isObject);
    this.#index++;
    // Small members from here to `batchEnd` are parsed together.
    let batch = this.#index;
    let batchEnd = -1;
    // A long text is one value, so it does not count: many small values would cost more.
    let batchSize = 0;
    let isFirst = true;
    const flush = async () => {
      if (batchEnd < 0) return;
      if (isRootList) this.#built = 0;
      else if (inside !== undefined) this.#count(batchSize);
      batchSize = 0;
      const [open, close] = isObject ? '{}' : '[]';
      sink.takeAll(this.#parse(this.#text.slice(batch, batchEnd), batch, open!, close!, depth));
      batchEnd = -1;
      await this.#turn();
    };
    for (;;) {
      const start = this.#index;
      const end = endOfMember(this.#text, start, start + pieceLength);
      if (end === undefined) {
        await flush();
        if (isRootList) this.#built = 0;
        const key = isObject ? this.#key() : undefined;
        this.#skipSpace();
        const next = this.#text[this.#index];
        if (next !== '{' && next !== '[') this.#fail('Expecting value', this.#index);
        sink.take(key, await this.#container(inside?.(key) ?? 'open', depth + 1));
        this.#skipSpace();
        batch = this.#index;
      } else {
        this.#index = end;
        const isEmpty = isBlank(this.#text, start, end);
        if (isEmpty && !(isFirst && closes(this.#text[end], isObject))) {
          const missing = isObject ? 'Expecting property name enclosed in double quotes' : 'Expecting value';
          this.#fail(missing, end);
        }
        if (!isEmpty) {
          batchEnd = end;
          batchSize += Math.min(end - start, pieceLength);
        }
      }
      isFirst = false;
      const delimiter = this.#text[this.#index];
      if (delimiter !== ',') {
        await flush();
        if (!closes(delimiter, isObject)) this.#fail("Expecting ',' delimiter", this.#index);
        this.#index++;
        return await sink.end();
      }
      if (batchEnd - batch >= pieceLength || batchEnd < 0) {
        await flush();
        batch = this.#index + 1;
      }
      this.#index++;
    }
  }

  #sinkFor(isBuilt: boolean, isObject: boolean): Sink {
    if (isBuilt) return isObject ? new BuiltObject() : new BuiltArray();
    if (!isObject) return new PrintedArray(this.#options);
    return this.#keysRepeat ? new PrintedObjectOfRepeatedKeys(this.#options) : new PrintedObject(this.#options);
  }

  #count(characters: number): void {
    this.#built += characters;
    if (this.#built > this.#options.maxBuilt) throw new LargeJsonError();
  }

  /** Parses `slice`, which begins at `at`, between brackets of its own. */
  #parse(slice: string, at: number, open: string, close: string, depth: number): unknown {
    try {
      return this.#options.parse(open + slice + close, this.#options.maxDepth - depth);
    } catch (error) {
      if (!(error instanceof JsonSyntaxError)) throw error;
      const index = at + Math.min(error.position - open.length, slice.length);
      if (error instanceof JsonLimitError) throw new JsonLimitError(error.reason, this.#text, index);
      throw new JsonSyntaxError(error.reason, this.#text, index);
    }
  }

  #key(): string {
    this.#skipSpace();
    const start = this.#index;
    if (this.#text[start] !== '"') this.#fail('Expecting property name enclosed in double quotes', start);
    const end = endOfString(this.#text, start + 1);
    if (end < 0) this.#fail('Unterminated string starting at', start);
    this.#index = end + 1;
    this.#skipSpace();
    if (this.#text[this.#index] !== ':') this.#fail("Expecting ':' delimiter", this.#index);
    this.#index++;
    return this.#parse(this.#text.slice(start, end + 1), start, '', '', 0) as string;
  }

  async #turn(): Promise<void> {
    if (this.#index < this.#turnAt) return;
    this.#turnAt = this.#index + this.#options.pieceLength;
    await this.#options.nextTurn();
  }

  #skipSpace(): void {
    while (isSpace(this.#text.charCodeAt(this.#index))) this.#index++;
  }

  #fail(reason: string, index: number): never {
    throw new JsonSyntaxError(reason, this.#text, index);
  }
}

/** The layout of each value inside a container that is parsed into a value; undefined if only its text is needed. */
function layoutInside(layout: Layout, isObject: boolean): ((key: string | undefined) => Layout) | undefined {
  if (layout === 'open') return undefined;
  if (layout === 'closed') return () => 'closed';
  if ('items' in layout) return isObject ? undefined : () => layout.items;
  return isObject ? (key) => layout.properties.get(key ?? '') ?? 'open' : undefined;
}

function closes(character: string | undefined, isObject: boolean): boolean {
  return character === (isObject ? '}' : ']');
}

function isBlank(text: string, start: number, end: number): boolean {
  for (let index = start; index < end; index++) if (!isSpace(text.charCodeAt(index))) return false;
  return true;
}

/**
 * Finds the end of the member that begins at `start`; undefined when it contains a container that is still open at
 * `limit`.
 */
function endOfMember(text: string, start: number, limit: number): number | undefined {
  let depth = 0;
  for (let index = start; index < text.length; index++) {
    switch (text.charCodeAt(index)) {
      case 0x22: {
        const end = endOfString(text, index + 1);
        if (end < 0) return text.length;
        index = end;
        break;
      }
      case 0x7b:
      case 0x5b:
        depth++;
        break;
      case 0x7d:
      case 0x5d:
        if (depth === 0) return index;
        depth--;
        break;
      case 0x2c:
        if (depth === 0) return index;
        break;
      default:
    }
    if (depth > 0 && index >= limit) return undefined;
  }
  return text.length;
}

/** More items than any stored list has: the shortest log line has 60 characters, and a body at most 10 million. */
const MAX_ITEMS = 1_500_000;

class BuiltArray implements Sink {
  readonly #items: unknown[] = [];

  /** Throws LargeJsonError. */
  takeAll(items: unknown): void {
    for (const item of items as unknown[]) this.#items.push(item);
    if (this.#items.length > MAX_ITEMS) throw new LargeJsonError();
  }

  take(_key: undefined, value: unknown): void {
    this.#items.push(value);
  }

  end(): unknown[] {
    return this.#items;
  }
}

class BuiltObject implements Sink {
  readonly #object: Record<string, unknown> = {};
  readonly #keys: string[] = [];

  takeAll(members: unknown): void {
    for (const key of keysInOrder(members as object)) this.take(key, (members as Record<string, unknown>)[key]);
  }

  take(key: string, value: unknown): void {
    this.#keys.push(key);
    // An assignment to `__proto__` would change the object's prototype.
    if (key === '__proto__') {
      Object.defineProperty(this.#object, key, { value, enumerable: true, configurable: true, writable: true });
    } else {
      this.#object[key] = value;
    }
  }

  end(): Record<string, unknown> {
    rememberOrder(this.#object, this.#keys);
    return this.#object;
  }
}

class PrintedArray implements Sink {
  readonly #print: LargeOptions['print'];
  readonly #pieces: string[] = [];

  constructor({ print }: LargeOptions) {
    this.#print = print;
  }

  takeAll(items: unknown): void {
    this.#pieces.push(this.#print(items).slice(1, -1));
  }

  take(_key: undefined, value: unknown): void {
    this.#pieces.push(this.#print(value));
  }

  end(): PrintedJson {
    return new PrintedJson(`[${this.#pieces.join()}]`, 'array');
  }
}

/**
 * Keeps no keys and no values as objects: a garbage collection that traverses a million of them would delay every
 * request.
 */
class PrintedObject implements Sink {
  readonly #print: LargeOptions['print'];
  readonly #pieces: string[] = [];
  readonly #seen = new SeenTexts();

  constructor({ print }: LargeOptions) {
    this.#print = print;
  }

  /** Throws RepeatedKey. */
  takeAll(members: unknown): void {
    for (const key of Object.keys(members as object)) this.#see(key);
    this.#pieces.push(this.#print(members).slice(1, -1));
  }

  /** Throws RepeatedKey. */
  take(key: string, value: unknown): void {
    this.#see(key);
    this.#pieces.push(`${JSON.stringify(key)}:${this.#print(value)}`);
  }

  end(): PrintedJson {
    return new PrintedJson(`{${this.#pieces.join()}}`, 'object');
  }

  #see(key: string): void {
    if (!this.#seen.add(key)) throw new RepeatedKey();
  }
}

/** A repeated key keeps its first place and gets the last value, as in an object. */
class PrintedObjectOfRepeatedKeys implements Sink {
  readonly #options: LargeOptions;
  readonly #members = new Map<string, string>();

  constructor(options: LargeOptions) {
    this.#options = options;
  }

  takeAll(members: unknown): void {
    for (const key of keysInOrder(members as object)) this.take(key, (members as Record<string, unknown>)[key]);
  }

  take(key: string, value: unknown): void {
    this.#members.set(key, this.#options.print(value));
  }

  async end(): Promise<PrintedJson> {
    const pieces: string[] = [];
    let piece = '';
    for (const [key, text] of this.#members) {
      piece += `${piece === '' ? '' : ','}${JSON.stringify(key)}:${text}`;
      if (piece.length < this.#options.pieceLength) continue;
      pieces.push(piece);
      piece = '';
      await this.#options.nextTurn();
    }
    if (piece !== '') pieces.push(piece);
    return new PrintedJson(`{${pieces.join()}}`, 'object');
  }
}
