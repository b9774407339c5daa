/**
 * Compiles a schema to a function that writes an answer's JSON text straight from a row. Stored JSON (`JsonText`) is
 * spliced in as it is, so nothing is parsed on the way out. Answers are not checked here: tests do that.
 */
import { floatText, jsonTextOf } from '../json.ts';
import { wireTimestamp } from '../time.ts';
import type { SchemaNode } from './decode.ts';
import { isObject } from './issues.ts';
import type { TSchema } from './kinds.ts';

export type Encoder = (value: unknown) => string;

/**
 * Properties are written in the order of the schema; what the row has beyond them is left out, what it lacks is null.
 * Where the schema has an object, an array or anything, a string is taken as JSON text. Compile once, at start.
 */
export function compileEncoder(schema: TSchema): Encoder {
  return encoderOf(schema as SchemaNode);
}

const compiled = new WeakMap<object, Encoder>();

function encoderOf(schema: SchemaNode): Encoder {
  const known = compiled.get(schema);
  if (known) return known;
  const encode = build(schema);
  compiled.set(schema, encode);
  return encode;
}

function build(schema: SchemaNode): Encoder {
  const { '~lazy': later } = schema;
  if (later) return deferred(() => encoderOf(later()));
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches) return unionEncoder(branches.filter((branch) => branch.type !== 'null'));
  if (schema.const !== undefined || schema.enum) return encodeLiteral;
  switch (schema.type) {
    case 'string':
      if (schema.format === 'uuid') return encodeSafeText;
      return schema.format === 'date-time' ? encodeDateTime : encodeText;
    case 'integer':
      return encodeInteger;
    case 'number':
      return encodeNumber;
    case 'boolean':
      return encodeBoolean;
    case 'array':
      return arrayEncoder(schema);
    case 'object':
      return objectEncoder(schema);
    default:
      return encodeJson;
  }
}

function deferred(make: () => Encoder): Encoder {
  let encode: Encoder | undefined;
  return (value) => {
    encode ??= make();
    return encode(value);
  };
}

const encodeJson: Encoder = (value) => (typeof value === 'string' ? value : jsonTextOf(value));
const encodeText: Encoder = (value) => (value === undefined || value === null ? 'null' : JSON.stringify(String(value)));
/** Ids have no character that JSON escapes. */
const encodeSafeText: Encoder = (value) => (value === undefined || value === null ? 'null' : `"${value}"`);
const encodeDateTime: Encoder = (value) =>
  value === undefined || value === null ? 'null' : `"${wireTimestamp(String(value))}"`;
const encodeLiteral: Encoder = (value) => JSON.stringify(value) ?? 'null';
const encodeInteger: Encoder = (value) =>
  value === undefined || value === null ? 'null' : typeof value === 'boolean' ? String(Number(value)) : String(value);
const encodeNumber: Encoder = (value) => (value === undefined || value === null ? 'null' : floatText(Number(value)));
const encodeBoolean: Encoder = (value) => (value === undefined || value === null ? 'null' : value ? 'true' : 'false');

function arrayEncoder(schema: SchemaNode): Encoder {
  if (schema.prefixItems || Array.isArray(schema.items)) {
    const encoders = (schema.prefixItems ?? (schema.items as readonly SchemaNode[])).map(encoderOf);
    return (value) => {
      if (!Array.isArray(value)) return encodeJson(value);
      return `[${encoders.map((encode, index) => encode(value[index])).join()}]`;
    };
  }
  const items = schema.items as SchemaNode | undefined;
  if (!items) return encodeJson;
  const encode = deferred(() => encoderOf(items));
  return (value) => {
    if (!Array.isArray(value)) return encodeJson(value);
    let text = '[';
    for (let index = 0; index < value.length; index++) text += (index === 0 ? '' : ',') + encode(value[index]);
    return `${text}]`;
  };
}

function objectEncoder(schema: SchemaNode): Encoder {
  if (!schema.properties) {
    const values = schema.additionalProperties ?? Object.values(schema.patternProperties ?? {})[0];
    return typeof values === 'object' ? mapEncoder(values) : encodeJson;
  }
  const { properties } = schema;
  let members: readonly { name: string; head: string; encode: Encoder }[] | undefined;
  return (value) => {
    if (!isObject(value)) return encodeJson(value);
    members ??= Object.entries(properties).map(([name, property], index) => ({
      name,
      head: `${index === 0 ? '' : ','}${JSON.stringify(name)}:`,
      encode: encoderOf(property),
    }));
    let text = '{';
    for (const { name, head, encode } of members) text += head + encode(value[name]);
    return `${text}}`;
  };
}

function mapEncoder(values: SchemaNode): Encoder {
  const encode = deferred(() => encoderOf(values));
  return (value) => {
    if (!isObject(value)) return encodeJson(value);
    return `{${Object.entries(value)
      .map(([key, member]) => `${JSON.stringify(key)}:${encode(member)}`)
      .join()}}`;
  };
}

function unionEncoder(branches: readonly SchemaNode[]): Encoder {
  const [only] = branches;
  if (!only) return () => 'null';
  if (branches.length === 1) {
    const encode = encoderOf(only);
    return (value) => (value === undefined || value === null ? 'null' : encode(value));
  }
  return (value) => {
    if (value === undefined || value === null) return 'null';
    const branch = branches.find((candidate) => mayHold(candidate, value)) ?? only;
    return encoderOf(branch)(value);
  };
}

/** Whether a value is of the branch's kind; objects are told apart by their constant fields. */
function mayHold(branch: SchemaNode, value: unknown): boolean {
  if (branch['~lazy']) return mayHold(branch['~lazy'](), value);
  if (branch.const !== undefined) return branch.const === value;
  if (branch.enum) return branch.enum.includes(value);
  switch (branch.type) {
    case 'string':
      return typeof value === 'string';
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return typeof value === 'number';
    case 'boolean':
      return typeof value === 'boolean';
    case 'array':
      return Array.isArray(value);
    case 'object':
      return (
        isObject(value) && Object.entries(branch.properties ?? {}).every(([name, field]) => agrees(field, value[name]))
      );
    default:
      return true;
  }
}

function agrees(field: SchemaNode, value: unknown): boolean {
  if (field.const !== undefined) return field.const === value;
  return field.enum === undefined || field.enum.includes(value);
}
