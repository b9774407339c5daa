/**
 * The checksum by which clients and server recognise a block schema. A client computes it over the schema of its class
 * and looks it up, so it must use exactly the bytes that Python's `json` module prints. Source: checksums from the
 * Prefect server 3.9.1; `checksum.test.ts` contains them.
 */
import { createHash } from 'node:crypto';
import { isFloat, isJsonObject, isRawNumber, numberOf } from '../../../values/json.ts';
import { type JsonFields, withPlainDefinitions } from './definitions.ts';

/** `sha256:` and 64 hexadecimal digits. `fields` are the result of `parseJson`. */
export function blockSchemaChecksum(fields: JsonFields): string {
  const counted = withoutSecretFields(withPlainDefinitions(fields));
  return `sha256:${createHash('sha256')
    .update(pythonJson([[counted], {}]))
    .digest('hex')}`;
}

/** `secret_fields` does not count towards a schema's identity, at any depth. */
function withoutSecretFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecretFields);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'secret_fields')
      .map(([key, member]) => [key, withoutSecretFields(member)]),
  );
}

/** Prints JSON like Python's `json.dumps(value, sort_keys=True)`: spaces after separators, ASCII only. */
function pythonJson(value: unknown): string {
  if (typeof value === 'number' || isRawNumber(value)) return pythonNumber(value);
  if (typeof value === 'string') return asciiText(value);
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(', ')}]`;
  if (!isJsonObject(value)) return value === undefined ? 'null' : JSON.stringify(value);
  const members = Object.entries(value)
    .sort(([left], [right]) => compareCodePoints(left, right))
    .map(([key, member]) => `${asciiText(key)}: ${pythonJson(member)}`);
  return `{${members.join(', ')}}`;
}

function pythonNumber(number: unknown): string {
  const value = numberOf(number) ?? 0;
  if (!isFloat(number)) return isRawNumber(number) ? number.rawJSON : String(value);
  if (!Number.isFinite(value)) return 'null';
  if (Object.is(value, -0)) return '-0.0';
  const size = Math.abs(value);
  // Like Python's `repr`: an exponent below 1e-4 and from 1e16 on, with at least two digits.
  if (size >= 1e16 || (size < 1e-4 && size > 0)) {
    return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
  }
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

function asciiText(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Python sorts text by code points, JavaScript by UTF-16 units: they differ beyond U+FFFF. */
function compareCodePoints(left: string, right: string): number {
  const a = [...left];
  const b = [...right];
  for (let index = 0; index < Math.min(a.length, b.length); index++) {
    const difference = (a[index]?.codePointAt(0) ?? 0) - (b[index]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
