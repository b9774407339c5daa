/**
 * Prints values as Python does. The reference server checks JSON Schemas in Python, and its refusals, which users and
 * scripts have seen for years, quote values in this form.
 */
import { isRawNumber, keysInOrder } from './json.ts';

/** A JSON value as `repr` shows it: `{'a': [1, 2.5, None, True]}`. It may contain raw numbers. */
export function pythonRepr(value: unknown): string {
  return reprWithin(value, Number.POSITIVE_INFINITY);
}

/** Characters of a value that a message quotes. */
const MAX_QUOTED = 100_000;

/** `pythonRepr` for a message: a longer value is cut and ends with `...`. */
export function pythonQuote(value: unknown): string {
  return reprWithin(value, MAX_QUOTED);
}

function reprWithin(value: unknown, limit: number): string {
  const pieces: string[] = [];
  let left = limit;
  const write = (text: string) => {
    if (left <= 0) return;
    pieces.push(text.length > left ? `${text.slice(0, left)}...` : text);
    left -= text.length;
  };
  const visit = (part: unknown): void => {
    if (typeof part === 'string') write(textRepr(part.length > left ? part.slice(0, left) : part));
    else if (typeof part !== 'object' || part === null || isRawNumber(part)) write(scalarRepr(part));
    else if (Array.isArray(part)) writeAll(part, '[', ']', visit);
    else {
      writeAll(keysInOrder(part), '{', '}', (key) => {
        visit(key);
        write(': ');
        visit((part as Record<string, unknown>)[key]);
      });
    }
  };
  const writeAll = <Item>(items: readonly Item[], open: string, close: string, each: (item: Item) => void): void => {
    write(open);
    for (let index = 0; index < items.length && left > 0; index++) {
      if (index > 0) write(', ');
      each(items[index] as Item);
    }
    write(close);
  };
  visit(value);
  return pieces.join('');
}

function scalarRepr(value: unknown): string {
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : floatRepr(value);
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (!isRawNumber(value)) return 'None';
  return /[.e]/i.test(value.rawJSON) ? floatRepr(Number(value.rawJSON)) : value.rawJSON;
}

const NOT_PRINTABLE = /[\\\p{C}\p{Z}'"]/u;
const EACH_NOT_PRINTABLE = /[\\\p{C}\p{Z}]/gu;
const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  ' ': ' ',
};

function textRepr(text: string): string {
  if (!NOT_PRINTABLE.test(text)) return `'${text}'`;
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text.replace(EACH_NOT_PRINTABLE, escapeCharacter);
  return `${quote}${quote === "'" ? escaped.replaceAll("'", "\\'") : escaped}${quote}`;
}

function escapeCharacter(character: string): string {
  const short = SHORT_ESCAPES[character];
  if (short !== undefined) return short;
  const code = character.codePointAt(0) ?? 0;
  const digits = code.toString(16);
  if (code <= 0xff) return `\\x${digits.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${digits.padStart(4, '0')}` : `\\U${digits.padStart(8, '0')}`;
}

/** Formats exponents as Python does: from 1e16 upwards and below 0.0001. JavaScript's limits differ. */
export function floatRepr(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const [mantissa, exponent] = value.toExponential().split('e') as [string, string];
  const power = Number(exponent);
  if (power >= -4 && power < 16) return Number.isInteger(value) ? `${value}.0` : String(value);
  return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

/** For example, `'a', 'b' were`. */
export function namesWithVerb(names: readonly unknown[]): string {
  return `${pythonQuote(names).slice(1, -1)} ${names.length === 1 ? 'was' : 'were'}`;
}

/** Python sorts texts by code point. */
export function sorted(names: readonly string[]): string[] {
  // UTF-16 and code points give different orders only for surrogates.
  if (!names.some((name) => /[\ud800-\udfff]/.test(name))) return [...names].sort();
  const keyed = names.map((name) => ({ name, key: Buffer.from(name) }));
  return keyed.sort((one, other) => Buffer.compare(one.key, other.key)).map(({ name }) => name);
}
