/**
 * Compiles a schema to a function that writes an answer's JSON text straight from a row. Stored JSON (`JsonText`) is
 * spliced in as it is, so nothing is parsed on the way out. Answers are not validated here; tests do that.
 */
import { floatText, isRawNumber, jsonTextOf } from '../values/json.ts';
import { wireTimestamp } from '../values/time.ts';
import { isObject } from './issues.ts';
import type { TSchema } from './kinds.ts';
import { isNull, listItems, mapValues, type SchemaNode, tupleItems } from './schema-node.ts';

type Encoder = (value: unknown) => string;

/**
 * Properties are written in the order of the schema; other columns of the row are left out, missing ones are null. If
 * the schema has an object, an array or anything, a string is JSON text. Booleans may be 0 or 1, as SQLite stores them;
 * numbers of the schema's type `number` are written as floats (`1.0`). Compile once, at start.
 */
export function compileEncoder(schema: TSchema): Encoder {
  return encoderOf(schema);
}

const compiled = new WeakMap<SchemaNode, Encoder>();

function encoderOf(schema: SchemaNode): Encoder {
  let encode = compiled.get(schema);
  if (!encode) {
    encode = build(schema);
    compiled.set(schema, encode);
  }
  return encode;
}

function build(schema: SchemaNode): Encoder {
  const { '~lazy': later } = schema;
  if (later) {
    let encode: Encoder | undefined;
    return (value) => {
      encode ??= encoderOf(later());
      return encode(value);
    };
  }
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches) return unionEncoder(branches.filter((branch) => !isNull(branch)));
  if (schema.const !== undefined || schema.enum) return encodeWord;
  switch (schema.type) {
    case 'string':
      return textEncoder(schema);
    case 'integer':
      return encodeInteger;
    case 'number':
      return encodeNumber;
    case 'boolean':
      return encodeBoolean;
    case 'null':
      return () => 'null';
    case 'array':
      return arrayEncoder(schema);
    case 'object':
      return objectEncoder(schema);
    default:
      return encodeJson;
  }
}

const isAbsent = (value: unknown) => value === undefined || value === null;

const encodeJson: Encoder = (value) => (typeof value === 'string' ? value : jsonTextOf(value));

/** Matches characters that JSON must escape, and lone surrogates. */
const NEEDS_ESCAPES = /["\\\p{Cc}\p{Cs}]/u;
/** Texts above this length are printed by the engine, which is faster than a search for escapes. */
const SHORT = 100;

const encodeText: Encoder = (value) => {
  if (typeof value === 'string')
    return value.length < SHORT && !NEEDS_ESCAPES.test(value) ? `"${value}"` : JSON.stringify(value);
  return isAbsent(value) ? 'null' : JSON.stringify(String(value));
};

/** Encodes ids and enumerated words without a search, because they contain no character that JSON escapes. */
const encodeWord: Encoder = (value) =>
  typeof value === 'string' ? `"${value}"` : isAbsent(value) ? 'null' : JSON.stringify(value);

const encodeDateTime: Encoder = (value) =>
  typeof value === 'string' ? `"${wireTimestamp(value)}"` : isAbsent(value) ? 'null' : JSON.stringify(value);

const encodeInteger: Encoder = (value) => {
  if (typeof value === 'boolean') return value ? '1' : '0';
  return isAbsent(value) ? 'null' : numeralOf(value);
};

const encodeNumber: Encoder = (value) => {
  if (typeof value === 'number') return floatText(value);
  if (isAbsent(value)) return 'null';
  return isRawNumber(value) ? value.rawJSON : floatText(Number(value));
};

const encodeBoolean: Encoder = (value) => (isAbsent(value) ? 'null' : value ? 'true' : 'false');

/** Drivers give 64-bit integers as text or as `bigint`. */
function numeralOf(value: unknown): string {
  if (isRawNumber(value)) return value.rawJSON;
  const numeral = String(value);
  return /^-?\d+$/.test(numeral) ? numeral : jsonTextOf(Number(value));
}

function textEncoder(schema: SchemaNode): Encoder {
  if (schema.format === 'uuid') return encodeWord;
  if (schema.format === 'date-time') return encodeDateTime;
  if (schema.format !== 'duration') return encodeText;
  // A duration is a number of seconds in every answer.
  return (value) => (typeof value === 'string' ? encodeText(value) : encodeNumber(value));
}

function arrayEncoder(schema: SchemaNode): Encoder {
  const tuple = tupleItems(schema)?.map(encoderOf);
  if (tuple) {
    return (value) =>
      Array.isArray(value) ? `[${tuple.map((encode, index) => encode(value[index])).join()}]` : encodeJson(value);
  }
  const items = listItems(schema);
  if (!items) return encodeJson;
  const encode = encoderOf(items);
  return (value) => {
    if (!Array.isArray(value)) return encodeJson(value);
    if (value.length === 0) return '[]';
    let text = `[${encode(value[0])}`;
    for (let index = 1; index < value.length; index++) text += `,${encode(value[index])}`;
    return `${text}]`;
  };
}

function objectEncoder(schema: SchemaNode): Encoder {
  if (schema.properties) return shapeEncoder(schema.properties);
  const values = mapValues(schema);
  if (!values) return encodeJson;
  const encode = encoderOf(values);
  return (value) => {
    if (!isObject(value)) return encodeJson(value);
    return `{${Object.entries(value)
      .map(([key, member]) => `${JSON.stringify(key)}:${encode(member)}`)
      .join()}}`;
  };
}

function shapeEncoder(properties: Readonly<Record<string, SchemaNode>>): Encoder {
  const members = Object.entries(properties).map(([name, property], index) => ({
    name,
    head: `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`,
    encode: encoderOf(property),
  }));
  if (members.length === 0) return (value) => (isObject(value) ? '{}' : encodeJson(value));
  return (value) => {
    if (!isObject(value)) return encodeJson(value);
    let text = '';
    for (const { name, head, encode } of members) text += head + encode(value[name]);
    return `${text}}`;
  };
}

function unionEncoder(branches: readonly SchemaNode[]): Encoder {
  const [only, ...others] = branches;
  if (!only) return () => 'null';
  const encodeOnly = encoderOf(only);
  if (others.length === 0) return (value) => (isAbsent(value) ? 'null' : encodeOnly(value));
  const choices = branches.map((branch) => ({ holds: kindTest(branch), encode: encoderOf(branch) }));
  return (value) => {
    if (isAbsent(value)) return 'null';
    const choice = choices.find(({ holds }) => holds(value));
    // A string that fits no branch is the stored JSON of one of them.
    return choice ? choice.encode(value) : encodeJson(value);
  };
}

/** Tests whether a value is of the branch's kind; constants and required fields distinguish objects. */
function kindTest(branch: SchemaNode): (value: unknown) => boolean {
  const { '~lazy': later } = branch;
  if (later) {
    let test: ((value: unknown) => boolean) | undefined;
    return (value) => {
      test ??= kindTest(later());
      return test(value);
    };
  }
  const inner = branch.anyOf ?? branch.oneOf;
  if (inner) {
    const tests = inner.map(kindTest);
    return (value) => tests.some((test) => test(value));
  }
  const words = branch.const === undefined ? branch.enum : [branch.const];
  if (words) return (value) => words.includes(value);
  switch (branch.type) {
    case 'string':
      return (value) => typeof value === 'string';
    case 'integer':
      return (value) => Number.isInteger(value) || typeof value === 'bigint';
    case 'number':
      return (value) => typeof value === 'number' || isRawNumber(value);
    case 'boolean':
      return (value) => typeof value === 'boolean';
    case 'array':
      return Array.isArray;
    case 'object':
      return shapeTest(branch);
    default:
      return () => true;
  }
}

function shapeTest(branch: SchemaNode): (value: unknown) => boolean {
  const { properties = {}, required = [] } = branch;
  const constants = Object.entries(properties)
    .map(([name, field]) => [name, field.const === undefined ? field.enum : [field.const]] as const)
    .filter(([, words]) => words !== undefined);
  const needed = required.filter((name) => properties[name]?.default === undefined);
  return (value) => {
    if (!isObject(value)) return false;
    if (constants.some(([name, words]) => value[name] !== undefined && !words?.includes(value[name]))) return false;
    return needed.every((name) => value[name] !== undefined);
  };
}
