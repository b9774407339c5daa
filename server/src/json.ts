/**
 * JSON that loses nothing. A value that clients own (parameters, variables, block data) must come back with the kind of
 * every number: `1.0` is a float for a Python client, `1` an integer, and integers have any length. What a JavaScript
 * number would print differently is kept as a `JSON.rawJSON` object, and objects whose keys JavaScript would reorder
 * (`{"2":0,"1":0}`) remember the order they came in.
 *
 * Grammar, error words and positions are those of Python's `json` module, which the reference server reads with.
 */
declare const jsonTextBrand: unique symbol;
/** JSON text without white space between tokens. */
export type JsonText = string & { readonly [jsonTextBrand]: 'json' };

/** A number kept as it should be printed, made by `JSON.rawJSON`. */
export interface RawNumber {
  readonly rawJSON: string;
}

// Not yet declared by the TypeScript library; Node has it since version 21.
const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON(text: string): RawNumber;
  isRawJSON(value: unknown): value is RawNumber;
};

/** The text is not JSON. */
export class JsonSyntaxError extends Error {
  override readonly name: string = 'JsonSyntaxError';
  /** In the words of Python's reader, for example `Expecting value`. */
  readonly reason: string;
  /** Characters (code points) before the fault. */
  readonly position: number;
  constructor(reason: string, text: string, index: number) {
    const position = codePointsBefore(text, index);
    super(`${reason}: char ${position}`);
    this.reason = reason;
    this.position = position;
  }
}

/** The text may be JSON, but is nested deeper, or has a longer integer, than this server reads. */
export class JsonLimitError extends JsonSyntaxError {
  override readonly name = 'JsonLimitError';
}

export interface ParseOptions {
  /** Objects and arrays inside each other. */
  readonly maxDepth?: number;
}

/** The reference stores values of up to 255 levels, which a body may wrap in a few more; beyond that it fails. */
const DEFAULT_MAX_DEPTH = 300;
/** What the server itself put together may nest stored values in some more levels. */
const STORED_MAX_DEPTH = 1000;
/** Source: Python refuses to convert longer integers. */
const MAX_INTEGER_DIGITS = 4300;
const DECIMALS_A_NUMBER_KEEPS = 15;
/** Below it JavaScript writes `0.0000011` where the reference writes `1.1e-6`. */
const SMALLEST_FLOAT_PRINTED_ALIKE = 1e-5;

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
      // The reader below finds the same fault and names it.
    }
  }
  return new Reader(source, maxDepth).read();
}

/** Prints what `parseJson` gave, or plain data, as compact JSON. Undefined is null. */
export function jsonTextOf(value: unknown): JsonText {
  if (value === undefined) return 'null' as JsonText;
  return (orderedObjectsExist && holdsOrdered(value) ? printOrdered(value) : JSON.stringify(value)) as JsonText;
}

/** A stored open object, to look into. Throws `JsonSyntaxError`; the text is not an object: an empty object. */
export function parseObject(text: JsonText): Record<string, unknown> {
  const value = parseJson(text, { maxDepth: STORED_MAX_DEPTH });
  return isJsonObject(value) ? value : {};
}

/** A JSON object; not an array, not a kept number. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawJSON(value);
}

/** True for a number that is kept as text, because a JavaScript number would print it differently. */
export function isRawNumber(value: unknown): value is RawNumber {
  return isRawJSON(value);
}

/** The value of a JSON number of either form (rounded when it is a big integer), undefined for anything else. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return isRawJSON(value) ? Number(value.rawJSON) : undefined;
}

/** True for a JSON number that Python reads as a float: it has a fraction or an exponent. */
export function isFloat(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isInteger(value);
  return isRawJSON(value) && /[.e]/.test(value.rawJSON);
}

/** A float as the reference prints it: `1.0`, `1e+16`, `0.00001`, `1.1e-6`; null when it is not finite. */
export function floatText(value: number): string {
  if (!Number.isFinite(value)) return 'null';
  if (Object.is(value, -0)) return '-0.0';
  const size = Math.abs(value);
  if (size >= 1e16 || (size < 1e-5 && size > 0)) return value.toExponential();
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

/** The keys of an object that `parseJson` gave, in the order of the text. */
export function keysInOrder(object: object): readonly string[] {
  return orderOf.get(object) ?? Object.keys(object);
}

/** Prints `copy`, an object with the keys of `original`, in the order of `original` from now on. */
export function keepOrder(original: object, copy: object): void {
  const keys = orderOf.get(original);
  if (keys) orderOf.set(copy, keys);
}

const orderOf = new WeakMap<object, readonly string[]>();
let orderedObjectsExist = false;

function holdsOrdered(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(holdsOrdered);
  return orderOf.has(value) || Object.values(value).some(holdsOrdered);
}

function printOrdered(value: unknown): string {
  if (typeof value !== 'object' || value === null || isRawJSON(value)) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(printOrdered).join()}]`;
  const members = keysInOrder(value)
    .filter((key) => (value as Record<string, unknown>)[key] !== undefined)
    .map((key) => `${JSON.stringify(key)}:${printOrdered((value as Record<string, unknown>)[key])}`);
  return `{${members.join()}}`;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const isDigit = (code: number) => code >= 0x30 && code <= 0x39;
const isSpace = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

/**
 * True when `JSON.parse` loses nothing of the text, if it is JSON at all. One pass that jumps over strings: about a
 * nanosecond a character, so that nearly every body is read by the engine itself.
 */
function isPlain(text: string, maxDepth: number): boolean {
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) {
      const start = index + 1;
      index = endOfString(text, start);
      if (index < 0) return false;
      const first = text.charCodeAt(start);
      // A key that looks like an array index is moved to the front by JavaScript; an escape may hide a digit.
      if ((isDigit(first) || first === BACKSLASH) && isFollowedByColon(text, index + 1)) return false;
    } else if (code === 0x7b || code === 0x5b) {
      if (++depth > maxDepth) return false;
    } else if (code === 0x7d || code === 0x5d) {
      depth--;
    } else if (isDigit(code) || code === 0x2d) {
      const start = index;
      let exact = code !== 0x2d || text.charCodeAt(index + 1) !== 0x30;
      for (;;) {
        const next = text.charCodeAt(index + 1);
        if (!isDigit(next)) {
          if (next !== 0x2e && next !== 0x65 && next !== 0x45 && next !== 0x2b && next !== 0x2d) break;
          exact = false;
        }
        index++;
      }
      if (!exact) {
        const value = Number(text.slice(start, index + 1));
        if (!(Math.abs(value) >= SMALLEST_FLOAT_PRINTED_ALIKE) || Number.isInteger(value)) return false;
        if (!Number.isFinite(value)) return false;
      } else if (index - start >= DECIMALS_A_NUMBER_KEEPS) {
        return false;
      }
    }
  }
  return true;
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start);
  while (end > 0) {
    let before = end - 1;
    while (before >= start && text.charCodeAt(before) === BACKSLASH) before--;
    if ((end - before) % 2 === 1) return end;
    end = text.indexOf('"', end + 1);
  }
  return -1;
}

function isFollowedByColon(text: string, start: number): boolean {
  let index = start;
  while (isSpace(text.charCodeAt(index))) index++;
  return text.charCodeAt(index) === 0x3a;
}

function codePointsBefore(text: string, index: number): number {
  let pairs = 0;
  for (let at = 0; at < index - 1; at++) {
    const isHigh = (text.charCodeAt(at) & 0xfc00) === 0xd800;
    if (isHigh && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) {
      pairs++;
      at++;
    }
  }
  return index - pairs;
}

const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/y;
const CONSTANTS: readonly (readonly [string, unknown])[] = [
  ['null', null],
  ['true', true],
  ['false', false],
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
];
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/** The exact reader: slower, bounded in depth, and the one that names faults. */
class Reader {
  readonly #text: string;
  readonly #maxDepth: number;
  #index = 0;
  #depth = 0;

  constructor(text: string, maxDepth: number) {
    this.#text = text;
    this.#maxDepth = maxDepth;
  }

  read(): unknown {
    this.#skipSpace();
    const value = this.#value();
    this.#skipSpace();
    if (this.#index < this.#text.length) this.#fail('Extra data', this.#index);
    return value;
  }

  #value(): unknown {
    const first = this.#text.charAt(this.#index);
    if (first === '"') return this.#string();
    if (first === '{') return this.#nested(() => this.#object());
    if (first === '[') return this.#nested(() => this.#array());
    for (const [word, value] of CONSTANTS) {
      if (this.#text.startsWith(word, this.#index)) {
        this.#index += word.length;
        return value;
      }
    }
    return this.#number();
  }

  #nested<T>(read: () => T): T {
    if (++this.#depth > this.#maxDepth) this.#limit('Too deeply nested');
    this.#index++;
    this.#skipSpace();
    const value = read();
    this.#depth--;
    return value;
  }

  #object(): Record<string, unknown> {
    const object: Record<string, unknown> = {};
    const keys: string[] = [];
    let hasIndexKey = false;
    if (this.#take('}')) return object;
    for (;;) {
      if (this.#text.charAt(this.#index) !== '"') {
        this.#fail('Expecting property name enclosed in double quotes', this.#index);
      }
      const key = this.#string();
      this.#skipSpace();
      if (!this.#take(':')) this.#fail("Expecting ':' delimiter", this.#index);
      this.#skipSpace();
      const value = this.#value();
      // Plain assignment to `__proto__` would change the object's prototype.
      if (key === '__proto__') {
        Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
      } else {
        object[key] = value;
      }
      keys.push(key);
      hasIndexKey ||= isDigit(key.charCodeAt(0));
      this.#skipSpace();
      if (this.#take('}')) break;
      if (!this.#take(',')) this.#fail("Expecting ',' delimiter", this.#index);
      this.#skipSpace();
    }
    if (hasIndexKey) rememberOrder(object, keys);
    return object;
  }

  #array(): unknown[] {
    const array: unknown[] = [];
    if (this.#take(']')) return array;
    for (;;) {
      array.push(this.#value());
      this.#skipSpace();
      if (this.#take(']')) return array;
      if (!this.#take(',')) this.#fail("Expecting ',' delimiter", this.#index);
      this.#skipSpace();
    }
  }

  #number(): number | RawNumber {
    NUMBER.lastIndex = this.#index;
    const match = NUMBER.exec(this.#text);
    if (!match) return this.#fail('Expecting value', this.#index);
    const [token, fraction, exponent] = match;
    const value = Number(token);
    if (fraction === undefined && exponent === undefined) {
      if (token.length > MAX_INTEGER_DIGITS + (value < 0 ? 1 : 0)) this.#limit('Integer has more than 4300 digits');
      this.#index += token.length;
      return Number.isSafeInteger(value) ? value + 0 : rawJSON(token);
    }
    this.#index += token.length;
    const printed = floatText(value);
    return Number.isFinite(value) && printed !== String(value) ? rawJSON(printed) : value;
  }

  #string(): string {
    const text = this.#text;
    const start = this.#index;
    let from = start + 1;
    let result = '';
    for (let index = from; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code === QUOTE) {
        this.#index = index + 1;
        return result + text.slice(from, index);
      }
      if (code < 0x20) this.#fail('Invalid control character at', index);
      if (code !== BACKSLASH) continue;
      result += text.slice(from, index);
      const escaped = text.charAt(index + 1);
      if (escaped === '') break;
      if (escaped === 'u') {
        const digits = text.slice(index + 2, index + 6);
        // The reference's reader also wants a character after the digits.
        if (!/^[0-9a-fA-F]{4}$/.test(digits) || index + 6 === text.length)
          this.#fail('Invalid \\uXXXX escape', index + 1);
        result += String.fromCharCode(Number.parseInt(digits, 16));
        from = index + 6;
      } else {
        const character = ESCAPES[escaped];
        if (character === undefined) this.#fail('Invalid \\escape', index);
        result += character;
        from = index + 2;
      }
      index = from - 1;
    }
    return this.#fail('Unterminated string starting at', start);
  }

  #take(character: string): boolean {
    if (this.#text.charAt(this.#index) !== character) return false;
    this.#index++;
    return true;
  }

  #skipSpace(): void {
    while (isSpace(this.#text.charCodeAt(this.#index))) this.#index++;
  }

  #fail(reason: string, index: number): never {
    throw new JsonSyntaxError(reason, this.#text, index);
  }

  #limit(reason: string): never {
    throw new JsonLimitError(reason, this.#text, this.#index);
  }
}

function rememberOrder(object: Record<string, unknown>, keys: readonly string[]): void {
  const unique = [...new Set(keys)];
  const actual = Object.keys(object);
  if (unique.every((key, index) => key === actual[index])) return;
  orderOf.set(object, unique);
  orderedObjectsExist = true;
}
