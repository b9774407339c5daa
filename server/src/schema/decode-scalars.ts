/**
 * Decoders of single values. Each takes what the reference takes in its place ("1" and 1.0 are integers, "yes" is a
 * truth) and refuses the rest in the reference's words. Source: reference behaviour, validation answers.
 */
import { isFloat, numberOf } from '../json.ts';
import { type Decoder, LAX, REFUSED, type Report, STRICT } from './issues.ts';
import { dateTimeFromNumber, parseDateTime } from './parse-datetime.ts';

export interface StringRules {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
}

export interface NumberRules {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
}

const plural = (count: number) => (count === 1 ? '' : 's');

export function stringDecoder(rules: StringRules): Decoder {
  const { minLength, maxLength, pattern } = rules;
  const expression = pattern === undefined ? undefined : new RegExp(pattern, 'u');
  return (input, report) => {
    if (typeof input !== 'string') return report.refuse('string_type', 'Input should be a valid string', input);
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
    if (input.includes('\0') || !input.isWellFormed()) return refuseUnstorable(input, report);
    return input;
  };
}

/** The databases' text type holds neither NUL nor half of a surrogate pair. */
function refuseUnstorable(input: string, report: Report): typeof REFUSED {
  const what = input.includes('\0') ? 'a NUL character' : 'an unpaired surrogate';
  return report.refuse('value_error', `Value error, text must not contain ${what}`, input, { error: {} });
}

const INTEGER_TEXT = /^[+-]?\d+(?:_\d+)*(?:\.0+)?$/;

export function integerDecoder(rules: NumberRules): Decoder {
  const inRange = rangeCheck(rules, String);
  return (input, report) => {
    const value = readInteger(input, report);
    return value === REFUSED || inRange === undefined ? value : inRange(value as number, input, report);
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
    const text = input.trim();
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

/** No column holds more than 64 bits, and no JavaScript number more than 53 exactly. */
function safeInteger(value: number, input: unknown, report: Report): number | typeof REFUSED {
  if (Number.isSafeInteger(value)) return value + 0;
  const msg = 'Unable to parse input string as an integer, exceeded maximum size';
  return report.refuse('int_parsing_size', msg, input);
}

const FLOAT_TEXT = /^[+-]?(?:\d+(?:_\d+)*\.?(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+)?$/;

export function numberDecoder(rules: NumberRules): Decoder {
  const inRange = rangeCheck(rules, (limit) => (Number.isInteger(limit) ? `${limit}` : String(limit)));
  return (input, report) => {
    const value = readNumber(input, report);
    return value === REFUSED || inRange === undefined ? value : inRange(value as number, input, report);
  };
}

function readNumber(input: unknown, report: Report): number | typeof REFUSED {
  let value = numberOf(input);
  if (value === undefined) {
    if (typeof input === 'boolean') value = input ? 1 : 0;
    else if (typeof input === 'string') {
      const text = input.trim();
      value = FLOAT_TEXT.test(text) ? Number(text.replaceAll('_', '')) : undefined;
      if (value === undefined) {
        if (/^[+-]?(?:nan|inf(?:inity)?)$/i.test(text)) value = Number.NaN;
        else {
          const msg = 'Input should be a valid number, unable to parse string as a number';
          return report.refuse('float_parsing', msg, input);
        }
      }
    } else return report.refuse('float_type', 'Input should be a valid number', input);
    report.lower(LAX);
  } else if (!isFloat(input)) report.lower(STRICT);
  if (!Number.isFinite(value)) return report.refuse('finite_number', 'Input should be a finite number', input);
  return value;
}

type RangeCheck = (value: number, input: unknown, report: Report) => number | typeof REFUSED;

function rangeCheck(rules: NumberRules, print: (limit: number) => string): RangeCheck | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = rules;
  if ((minimum ?? maximum ?? exclusiveMinimum ?? exclusiveMaximum) === undefined) return undefined;
  return (value, input, report) => {
    if (maximum !== undefined && !(value <= maximum)) {
      const msg = `Input should be less than or equal to ${print(maximum)}`;
      return report.refuse('less_than_equal', msg, input, { le: maximum });
    }
    if (exclusiveMaximum !== undefined && !(value < exclusiveMaximum)) {
      return report.refuse('less_than', `Input should be less than ${print(exclusiveMaximum)}`, input, {
        lt: exclusiveMaximum,
      });
    }
    if (minimum !== undefined && !(value >= minimum)) {
      const msg = `Input should be greater than or equal to ${print(minimum)}`;
      return report.refuse('greater_than_equal', msg, input, { ge: minimum });
    }
    if (exclusiveMinimum !== undefined && !(value > exclusiveMinimum)) {
      return report.refuse('greater_than', `Input should be greater than ${print(exclusiveMinimum)}`, input, {
        gt: exclusiveMinimum,
      });
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
  const inner = braced?.[1] ?? text;
  if (DASHED_UUID.test(inner)) return inner;
  if (/^[0-9a-f]{32}$/.test(text)) {
    return `${text.slice(0, 8)}-${text.slice(8, 12)}-${text.slice(12, 16)}-${text.slice(16, 20)}-${text.slice(20)}`;
  }
  const error = uuidFault(input);
  return report.refuse('uuid_parsing', `Input should be a valid UUID, ${error}`, input, { error });
};

const GROUP_LENGTHS = [8, 4, 4, 4, 12];

function uuidFault(input: string): string {
  const braced = input.startsWith('{') && input.endsWith('}');
  const body = braced ? input.slice(1, -1) : input.startsWith('urn:uuid:') ? input.slice(9) : input;
  const characters = [...body];
  const stray = characters.findIndex((character) => !/[0-9a-fA-F-]/.test(character));
  if (stray >= 0)
    return `invalid character: found \`${characters[stray]}\` at ${stray + [...input].indexOf(body.charAt(0))}`;
  const groups = body.split('-');
  if (groups.length === 1 && body === input) return `invalid length: found ${input.length}`;
  if (groups.length !== 5) return `invalid group count: expected 5, found ${groups.length}`;
  const index = groups.findIndex((group, at) => group.length !== GROUP_LENGTHS[at]);
  return `invalid group length in group ${index}: expected ${GROUP_LENGTHS[index]}, found ${groups[index]?.length}`;
}

export const decodeDateTime: Decoder = (input, report) => {
  let result: ReturnType<typeof parseDateTime>;
  if (typeof input === 'string') {
    report.lower(STRICT);
    result = parseDateTime(input);
  } else {
    report.lower(LAX);
    const value = numberOf(input);
    if (value === undefined) return report.refuse('datetime_type', 'Input should be a valid datetime', input);
    result = dateTimeFromNumber(value);
  }
  if (typeof result === 'string') return result;
  const what = result.type === 'datetime_from_date_parsing' ? 'datetime or date' : 'datetime';
  return report.refuse(result.type, `Input should be a valid ${what}, ${result.error}`, input, { error: result.error });
};

/** "'a', 'b' or 'c'". */
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
