/**
 * Decoders of single values. Each accepts the values that the reference accepts ("1" and 1.0 are integers, "yes" is
 * true) and refuses the rest in the reference's words. Source: the Prefect server 3.9.1; server/test/reference compares
 * refusals.
 */
import { uuidSpelledBy } from '../values/id.ts';
import { floatText, isFloat, numberOf, parseJson } from '../values/json.ts';
import type { Timestamp } from '../values/time.ts';
import { type Decoder, LAX, plural, REFUSED, type Report, STRICT } from './issues.ts';
import { atOffset, dateTimeFromNumber, offsetMinutesIn, parseDateTime } from './parse-datetime.ts';
import { durationFromNumber, parseDuration } from './parse-duration.ts';

interface StringRules {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
}

interface NumberRules {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
}

export function stringDecoder(rules: StringRules): Decoder {
  const decode = anyStringDecoder(rules);
  return (input, report) => {
    const text = decode(input, report);
    return text !== REFUSED && (text as string).includes('\0') ? refuseNul(input, report) : text;
  };
}

/** Accepts NUL characters, for a text that is checked later. */
export function anyStringDecoder(rules: StringRules): Decoder {
  const { minLength, maxLength, pattern } = rules;
  const expression = pattern === undefined ? undefined : new RegExp(pattern, 'u');
  return (input, report) => {
    if (typeof input !== 'string') return report.refuse('string_type', 'Input should be a valid string', input);
    if (!input.isWellFormed()) {
      const msg = 'Input should be a valid string, unable to parse raw data as a unicode string';
      return report.refuse('string_unicode', msg, input);
    }
    if (minLength !== undefined && input.length < minLength * 2 && [...input].length < minLength) {
      const msg = `String should have at least ${minLength} character${plural(minLength)}`;
      return report.refuse('string_too_short', msg, input, { min_length: minLength });
    }
    if (maxLength !== undefined && input.length > maxLength && [...input].length > maxLength) {
      const msg = `String should have at most ${maxLength} character${plural(maxLength)}`;
      return report.refuse('string_too_long', msg, input, { max_length: maxLength });
    }
    if (expression !== undefined && !expression.test(input)) {
      const msg = `String should match pattern '${pattern}'`;
      return report.refuse('string_pattern_mismatch', msg, input, { pattern });
    }
    return input;
  };
}

/** Refuses NUL, which PostgreSQL's text type cannot store. The reference accepts it on SQLite. */
export function refuseNul(input: unknown, report: Report): typeof REFUSED {
  return report.refuse('value_error', 'Value error, text must not contain NUL characters', input, { error: {} });
}

/** Removes characters that cannot be stored: NUL is dropped, half of a surrogate pair becomes U+FFFD. */
export const decodeProgramText: Decoder = (input, report) =>
  decodePlainText(typeof input === 'string' ? input.replaceAll('\0', '').toWellFormed() : input, report);

/** Treats bytes as text; only the reference's word for a wrong type differs. */
export const decodeBytes: Decoder = (input, report) =>
  typeof input === 'string'
    ? decodePlainText(input, report)
    : report.refuse('bytes_type', 'Input should be a valid bytes', input);

const decodePlainText = stringDecoder({});

/** Trims white space. JavaScript's `trim` would also remove a byte order mark. */
function trimmed(text: string): string {
  return text.includes('\ufeff') ? text : text.trim();
}

const INTEGER_TEXT = /^[+-]?\d+(?:_\d+)*(?:\.0+)?$/;

export function integerDecoder(rules: NumberRules): Decoder {
  const inRange = rangeCheck(rules, (limit) => limit);
  return (input, report) => {
    const value = readInteger(input, report);
    return value === REFUSED || inRange === undefined ? value : inRange(value, input, report);
  };
}

function readInteger(input: unknown, report: Report): number | typeof REFUSED {
  if (typeof input === 'number' && Number.isSafeInteger(input)) return input;
  if (typeof input === 'boolean') {
    report.lower(LAX);
    return input ? 1 : 0;
  }
  if (typeof input === 'string') {
    report.lower(LAX);
    const text = trimmed(input);
    if (!INTEGER_TEXT.test(text)) {
      return report.refuse(
        'int_parsing',
        'Input should be a valid integer, unable to parse string as an integer',
        input,
      );
    }
    return safeInteger(Number(text.replaceAll('_', '')), input, report);
  }
  const value = numberOf(input);
  if (value === undefined) return report.refuse('int_type', 'Input should be a valid integer', input);
  if (!Number.isFinite(value)) return report.refuse('finite_number', 'Input should be a finite number', input);
  if (!Number.isInteger(value)) {
    const msg = 'Input should be a valid integer, got a number with a fractional part';
    return report.refuse('int_from_float', msg, input);
  }
  if (isFloat(input)) report.lower(LAX);
  return safeInteger(value, input, report);
}

/** Refuses an integer that no 64-bit column can store, or that a JavaScript number cannot hold exactly (53 bits). */
function safeInteger(value: number, input: unknown, report: Report): number | typeof REFUSED {
  if (Number.isSafeInteger(value)) return value + 0;
  const msg = 'Unable to parse input string as an integer, exceeded maximum size';
  return report.refuse('int_parsing_size', msg, input);
}

const FLOAT_TEXT = /^[+-]?(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+(?:_\d+)*)?$/;
const NOT_FINITE_TEXT = /^[+-]?(?:nan|inf(?:inity)?)$/i;

/** Refuses NaN and infinities. The reference accepts them where no limit is declared, and then cannot print them. */
export function numberDecoder(rules: NumberRules): Decoder {
  const inRange = rangeCheck(rules, (limit) => parseJson(floatText(limit)));
  return (input, report) => {
    const number = readNumber(input, report);
    const value = number === REFUSED || inRange === undefined ? number : inRange(number, input, report);
    if (value === REFUSED || Number.isFinite(value)) return value;
    return report.refuse('finite_number', 'Input should be a finite number', input);
  };
}

function readNumber(input: unknown, report: Report): number | typeof REFUSED {
  const value = numberOf(input);
  if (value !== undefined) {
    if (Number.isFinite(value) || typeof input === 'number') {
      if (!isFloat(input)) report.lower(STRICT);
      return value;
    }
    return report.refuse('float_type', 'Input should be a valid number', input);
  }
  report.lower(LAX);
  if (typeof input === 'boolean') return input ? 1 : 0;
  if (typeof input !== 'string') return report.refuse('float_type', 'Input should be a valid number', input);
  const text = trimmed(input);
  if (FLOAT_TEXT.test(text)) return Number(text.replaceAll('_', ''));
  if (NOT_FINITE_TEXT.test(text)) return Number.NaN;
  return report.refuse('float_parsing', 'Input should be a valid number, unable to parse string as a number', input);
}

type RangeCheck = (value: number, input: unknown, report: Report) => number | typeof REFUSED;

/** `print` turns a limit into the value that `ctx` shows. */
function rangeCheck(rules: NumberRules, print: (limit: number) => unknown): RangeCheck | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = rules;
  if ((minimum ?? maximum ?? exclusiveMinimum ?? exclusiveMaximum) === undefined) return undefined;
  const refuse = (
    type: string,
    words: string,
    key: string,
    limit: number,
    input: unknown,
    report: Report,
  ): typeof REFUSED => report.refuse(type, `Input should be ${words} ${limit}`, input, { [key]: print(limit) });
  // Written so that NaN is outside every range.
  return (value, input, report) => {
    if (maximum !== undefined && !(value <= maximum)) {
      return refuse('less_than_equal', 'less than or equal to', 'le', maximum, input, report);
    }
    if (exclusiveMaximum !== undefined && !(value < exclusiveMaximum)) {
      return refuse('less_than', 'less than', 'lt', exclusiveMaximum, input, report);
    }
    if (minimum !== undefined && !(value >= minimum)) {
      return refuse('greater_than_equal', 'greater than or equal to', 'ge', minimum, input, report);
    }
    if (exclusiveMinimum !== undefined && !(value > exclusiveMinimum)) {
      return refuse('greater_than', 'greater than', 'gt', exclusiveMinimum, input, report);
    }
    return value;
  };
}

const TRUE_WORDS = new Set(['1', 'on', 't', 'true', 'y', 'yes']);
const FALSE_WORDS = new Set(['0', 'off', 'f', 'false', 'n', 'no']);

export const decodeBoolean: Decoder = (input, report) => {
  if (typeof input === 'boolean') return input;
  report.lower(LAX);
  if (typeof input === 'string') {
    const word = input.toLowerCase();
    if (TRUE_WORDS.has(word)) return true;
    if (FALSE_WORDS.has(word)) return false;
  } else {
    const value = numberOf(input);
    if (value === 0 || value === 1) return value === 1;
    if (value === undefined || !Number.isSafeInteger(value)) {
      return report.refuse('bool_type', 'Input should be a valid boolean', input);
    }
  }
  return report.refuse('bool_parsing', 'Input should be a valid boolean, unable to interpret input', input);
};

const DASHED_UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export const decodeUuid: Decoder = (input, report) => {
  if (typeof input !== 'string') {
    return report.refuse('uuid_type', 'UUID input should be a string, bytes or UUID object', input);
  }
  if (DASHED_UUID.test(input)) {
    report.lower(STRICT);
    return input;
  }
  report.lower(LAX);
  const text = input.toLowerCase();
  const braced =
    /^\{(.{36})\}$/s.exec(text) ?? (input.startsWith('urn:uuid:') ? /^urn:uuid:(.{36})$/s.exec(text) : null);
  const uuid = uuidSpelledBy(braced?.[1] ?? text);
  if (uuid !== undefined) return uuid;
  const error = uuidFault(input);
  return report.refuse('uuid_parsing', `Input should be a valid UUID, ${error}`, input, { error });
};

const GROUP_LENGTHS = [8, 4, 4, 4, 12];

const LONGEST_UUID_BYTES = 45;

/** Positions are in bytes. They are exact for text without braces and prefix, and approximate otherwise. */
function uuidFault(input: string): string {
  const bytes = Buffer.byteLength(input);
  const isBraced = input.startsWith('{') && input.endsWith('}');
  const body = isBraced ? input.slice(1, -1) : input.startsWith('urn:uuid:') ? input.slice(9) : input;
  if (bytes > LONGEST_UUID_BYTES) return `invalid length: found ${bytes}`;
  const stray = /[^0-9a-fA-F-]/u.exec(body);
  if (stray) {
    const at = Buffer.byteLength(body.slice(0, stray.index)) + (isBraced ? 1 : 0);
    return `invalid character: found \`${stray[0]}\` at ${at}`;
  }
  const groups = body.split('-');
  if (groups.length === 1 && body === input) return `invalid length: found ${bytes}`;
  if (groups.length !== 5) return `invalid group count: expected 5, found ${groups.length}`;
  const index = groups.findIndex((group, position) => group.length !== GROUP_LENGTHS[position]);
  return `invalid group length in group ${index}: expected ${GROUP_LENGTHS[index]}, found ${groups[index]?.length}`;
}

export const decodeDateTime: Decoder = (input, report) => {
  if (typeof input === 'string') {
    report.lower(STRICT);
    const fault = `Value error, Unable to parse string [${input}]`;
    return parseDateTime(input) ?? report.refuse('value_error', fault, input, { error: {} });
  }
  report.lower(LAX);
  const value = numberOf(input);
  const moment = value === undefined ? undefined : dateTimeFromNumber(value);
  return moment ?? report.refuse('value_error', 'value is not a valid datetime', input);
};

export const decodeOffsetDateTime: Decoder = (input, report) => {
  const moment = decodeDateTime(input, report);
  if (moment === REFUSED) return REFUSED;
  return atOffset(moment as Timestamp, typeof input === 'string' ? offsetMinutesIn(input) : 0);
};

export const decodeDuration: Decoder = (input, report) => {
  report.lower(LAX);
  const number = typeof input === 'boolean' ? Number(input) : numberOf(input);
  if (number === undefined && typeof input !== 'string') {
    return report.refuse('time_delta_type', 'Input should be a valid timedelta', input);
  }
  const result = typeof input === 'string' ? parseDuration(input) : durationFromNumber(number ?? Number.NaN);
  if (typeof result === 'number') return result;
  const { error } = result;
  return report.refuse('time_delta_parsing', `Input should be a valid timedelta, ${error}`, input, { error });
};

export const decodePositiveDuration: Decoder = (input, report) => {
  const seconds = decodeDuration(input, report);
  if (seconds === REFUSED || (seconds as number) >= 0) return seconds;
  const msg = 'Input should be greater than or equal to 0 seconds';
  return report.refuse('greater_than_equal', msg, parseJson(floatText(seconds as number)), { ge: '0 seconds' });
};

/** For example, `'a', 'b' or 'c'`. */
function alternatives(values: readonly unknown[]): string {
  const quoted = values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value)));
  return quoted.length < 2 ? quoted.join() : `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`;
}

export function enumDecoder(values: readonly unknown[]): Decoder {
  const allowed = new Set(values);
  const expected = alternatives(values);
  return (input, report) => {
    if (allowed.has(input)) {
      report.lower(STRICT);
      return input;
    }
    return report.refuse('enum', `Input should be ${expected}`, input, { expected });
  };
}

export function literalDecoder(values: readonly unknown[]): Decoder {
  const allowed = new Set(values);
  const expected = alternatives(values);
  return (input, report) =>
    allowed.has(input) ? input : report.refuse('literal_error', `Input should be ${expected}`, input, { expected });
}

export const decodeNull: Decoder = (input, report) =>
  input === null ? null : report.refuse('none_required', 'Input should be None', input);
