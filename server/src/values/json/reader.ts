/** The exact reader: slower than the engine, with bounded depth. It also describes faults. */
import { BACKSLASH, isDigit, isSpace, QUOTE } from './characters.ts';
import { rememberOrder } from './key-order.ts';
import { floatText, type RawNumber, rawJSON } from './numbers.ts';

/** The text is not JSON. */
export class JsonSyntaxError extends Error {
  override readonly name: string = 'JsonSyntaxError';
  /** The words of Python's reader, for example `Expecting value`. */
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

/** Source: Python refuses to convert longer integers. */
const MAX_INTEGER_DIGITS = 4300;

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

export class Reader {
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
      // An assignment to `__proto__` would change the object's prototype.
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
