/**
 * Values as Python prints them. The reference server checks JSON Schemas in Python, and its refusals, which users and
 * scripts have seen for years, quote values in this form.
 */
import { isRawNumber, keysInOrder } from '../json.ts';

/** A JSON value as `repr` shows it: `{'a': [1, 2.5, None, True]}`. Numbers may be kept ones. */
export function pythonRepr(value: unknown): string {
  if (typeof value === 'string') return textRepr(value);
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : floatRepr(value);
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object' || value === null) return 'None';
  if (isRawNumber(value)) return /[.e]/i.test(value.rawJSON) ? floatRepr(Number(value.rawJSON)) : value.rawJSON;
  if (Array.isArray(value)) return `[${value.map(pythonRepr).join(', ')}]`;
  const members = keysInOrder(value).map(
    (key) => `${textRepr(key)}: ${pythonRepr((value as Record<string, unknown>)[key])}`,
  );
  return `{${members.join(', ')}}`;
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

/** Python writes an exponent from 1e16 upwards and below 0.0001, JavaScript elsewhere. */
export function floatRepr(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const [mantissa, exponent] = value.toExponential().split('e') as [string, string];
  const power = Number(exponent);
  if (power >= -4 && power < 16) return Number.isInteger(value) ? `${value}.0` : String(value);
  return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

/** `'a', 'b' were` */
export function namesWithVerb(names: readonly unknown[]): string {
  return `${names.map(pythonRepr).join(', ')} ${names.length === 1 ? 'was' : 'were'}`;
}

/** Python sorts texts by code point. */
export function sorted(names: readonly string[]): string[] {
  return [...names].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
}
