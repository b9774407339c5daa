/**
 * Lossless JSON. A value that clients own (parameters, variables, block data) must come back with the kind of every
 * number: `1.0` is a float for a Python client, `1` an integer, and integers have any length. A number that JavaScript
 * would print differently is kept as a `JSON.rawJSON` object, and objects whose keys JavaScript would reorder
 * (`{"2":0,"1":0}`) keep their order.
 *
 * Grammar, error words and positions are those of Python's `json` module, which the reference server reads with.
 */
import { holdsOrdered, printOrdered } from './json/key-order.ts';
import { type LargeOptions, readLargeJson } from './json/large.ts';
import type { Layout } from './json/layout.ts';
import { isRawNumber } from './json/numbers.ts';
import { isPlain } from './json/plain.ts';
import { PrintedJson } from './json/printed.ts';
import { Reader } from './json/reader.ts';

export { keepOrder, keysInOrder } from './json/key-order.ts';
export { LargeJsonError } from './json/large.ts';
export type { Layout } from './json/layout.ts';
export { floatText, isFloat, isRawNumber, numberOf } from './json/numbers.ts';
export { isPrinted } from './json/printed.ts';
export { JsonLimitError, JsonSyntaxError } from './json/reader.ts';

declare const jsonTextBrand: unique symbol;
/** JSON text without white space between tokens. */
export type JsonText = string & { readonly [jsonTextBrand]: 'json' };

interface ParseOptions {
  /** Nesting depth of objects and arrays. */
  readonly maxDepth?: number;
}

/** The reference stores values of up to 255 levels, which a body may wrap in a few more; beyond that it fails. */
const DEFAULT_MAX_DEPTH = 300;
/** JSON that the server itself builds may nest stored values a few levels deeper. */
const STORED_MAX_DEPTH = 1000;
/** Characters of a large text that are read in one turn: some 1 to 4 ms of work. */
const PIECE_LENGTH = 32 * 1024;

/**
 * Reads one JSON text. `NaN`, `Infinity` and floats that overflow are read as such and printed as null by `jsonTextOf`.
 * A byte order mark is skipped. Throws `JsonSyntaxError`.
 */
export function parseJson(text: string, options?: ParseOptions): unknown {
  const source = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  const maxDepth = options?.maxDepth ?? DEFAULT_MAX_DEPTH;
  if (isPlain(source, maxDepth)) {
    try {
      return JSON.parse(source);
    } catch {
      // The reader below finds the fault again and describes it.
    }
  }
  return new Reader(source, maxDepth).read();
}

/**
 * Reads a large text in several turns of the event loop. Large values in open parts stay text, which `jsonTextOf`
 * prints and `isPrinted` recognizes. Throws `LargeJsonError` if the other parts are larger than `maxBuilt`.
 */
export function parseLargeJson(
  text: string,
  layout: Layout,
  {
    maxBuilt,
    nextTurn,
    pieceLength = PIECE_LENGTH,
  }: Pick<LargeOptions, 'maxBuilt' | 'nextTurn'> & Partial<LargeOptions>,
): Promise<unknown> {
  const source = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  return readLargeJson(source, layout, {
    maxDepth: DEFAULT_MAX_DEPTH,
    maxBuilt,
    pieceLength,
    parse: (piece, maxDepth) => parseJson(piece, { maxDepth }),
    print: jsonTextOf,
    nextTurn,
  });
}

/** Prints a result of `parseJson`, or plain data, as compact JSON. Prints undefined as null. */
export function jsonTextOf(value: unknown): JsonText {
  if (value === undefined) return 'null' as JsonText;
  if (value instanceof PrintedJson) return value.text as JsonText;
  return (holdsOrdered(value) ? printOrdered(value) : JSON.stringify(value)) as JsonText;
}

/**
 * Parses a stored open object in order to read it. Throws `JsonSyntaxError`. Returns an empty object if the text is not
 * an object.
 */
export function parseObject(text: JsonText): Record<string, unknown> {
  const value = parseJson(text, { maxDepth: STORED_MAX_DEPTH });
  return isJsonObject(value) ? value : {};
}

/** Parses a stored object of any size that is only printed again. */
export function printedObject(text: JsonText): unknown {
  return new PrintedJson(text, 'object');
}

/** True for a JSON object; false for an array, a raw number and the text of a large object. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !isRawNumber(value) &&
    !(value instanceof PrintedJson)
  );
}
