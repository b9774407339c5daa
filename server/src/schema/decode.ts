/**
 * Compiles a schema to a function that reads a request's value: lax where the reference is lax, defaults filled in, ids
 * and times in their one spelling, open JSON as text. Every value that does not fit is an issue in the reference's
 * words.
 */
import type { ValidationIssue } from '../errors.ts';
import { jsonTextOf } from '../values/json.ts';
import { branchNameFor } from './branch-names.ts';
import { arrayDecoder, refuseLong } from './decode-arrays.ts';
import { mapDecoder, parametersDecoder, partsDecoder, shapeDecoder } from './decode-objects.ts';
import {
  anyStringDecoder,
  decodeBoolean,
  decodeBytes,
  decodeDateTime,
  decodeDuration,
  decodeNull,
  decodeOffsetDateTime,
  decodePositiveDuration,
  decodeProgramText,
  decodeUuid,
  enumDecoder,
  integerDecoder,
  literalDecoder,
  numberDecoder,
  refuseNul,
  stringDecoder,
} from './decode-scalars.ts';
import { taggedUnionDecoder, unionDecoder } from './decode-unions.ts';
import { type Decoder, REFUSED, Report } from './issues.ts';
import {
  dropsNul,
  isBodyParts,
  isDecodedRecord,
  keepsOffset,
  preparationOf,
  refinementOf,
  refusesNegative,
  type Static,
  type TSchema,
} from './kinds.ts';
import { isNull, mapValues, type SchemaNode } from './schema-node.ts';

export type Location = 'body' | 'query' | 'path' | 'header';

export type Decoded<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: ValidationIssue[] };

/**
 * `location` is the first key of each issue's `loc`. Query, path and header values arrive as text, or as an array of
 * texts where a parameter is repeated. A body that is absent or null is `missing`, unless the schema takes null or has
 * a default. Compile once, at start; a default that does not fit its own schema throws there.
 */
export function compileDecoder<T extends TSchema>(
  schema: T,
  location: Location,
): (input: unknown) => Decoded<Static<T>> {
  const node: SchemaNode = schema;
  const decode = location === 'body' ? bodyDecoder(node) : parametersDecoder(node, decoderOf);
  return (input) => {
    const report = new Report();
    const value = decode(input, report);
    if (report.issues.length === 0) return { ok: true, value: value as Static<T> };
    return { ok: false, issues: report.told(location) };
  };
}

function bodyDecoder(schema: SchemaNode): Decoder {
  const decode = decoderOf(schema);
  if (isBodyParts(schema)) return decode;
  const takesNull = schema.anyOf?.some(isNull) ?? false;
  return (input, report) => {
    if (input !== undefined && input !== null) return decode(input, report);
    if (takesNull) return null;
    if (schema.default !== undefined) return decode(schema.default, report);
    return report.refuse('missing', 'Field required', null);
  };
}

const compiled = new WeakMap<SchemaNode, Decoder>();

/** The decoder of a schema, made once per schema object. */
function decoderOf(schema: SchemaNode): Decoder {
  let decode = compiled.get(schema);
  if (!decode) {
    decode = prepared(schema, refined(schema, build(schema)));
    compiled.set(schema, decode);
  }
  return decode;
}

function build(schema: SchemaNode): Decoder {
  const { '~lazy': later } = schema;
  if (later) {
    let decode: Decoder | undefined;
    return (input, report) => {
      decode ??= decoderOf(later());
      return decode(input, report);
    };
  }
  if (schema.oneOf && schema.discriminator) return taggedDecoder(schema.oneOf, schema.discriminator.propertyName);
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches) return anyOfDecoder(branches);
  if (schema.const !== undefined) return literalDecoder([schema.const]);
  // The reference words the refusal of a named enumeration differently from that of an unnamed one.
  if (schema.enum) return schema.$id === undefined ? literalDecoder(schema.enum) : enumDecoder(schema.enum);
  return plainDecoder(schema);
}

function plainDecoder(schema: SchemaNode): Decoder {
  switch (schema.type) {
    case undefined:
      return jsonTextOf;
    case 'string':
      return textDecoder(schema);
    case 'integer':
      return integerDecoder(schema);
    case 'number':
      return numberDecoder(schema);
    case 'boolean':
      return decodeBoolean;
    case 'null':
      return decodeNull;
    case 'array':
      return arrayDecoder(schema, decoderOf);
    case 'object':
      return objectDecoder(schema);
    default:
      throw new TypeError(`a schema of type '${schema.type}' cannot be decoded`);
  }
}

function textDecoder(schema: SchemaNode): Decoder {
  if (schema.contentMediaType !== undefined) return decodeBytes;
  if (dropsNul(schema)) return decodeProgramText;
  switch (schema.format) {
    case 'uuid':
      return decodeUuid;
    case 'date-time':
      return keepsOffset(schema) ? decodeOffsetDateTime : decodeDateTime;
    case 'duration':
      return refusesNegative(schema) ? decodePositiveDuration : decodeDuration;
    default:
      return refinementOf(schema) ? anyStringDecoder(withoutMaxLength(schema)) : stringDecoder(schema);
  }
}

function objectDecoder(schema: SchemaNode): Decoder {
  if (isBodyParts(schema)) return partsDecoder(schema, decoderOf);
  if (schema.properties) return shapeDecoder(schema, decoderOf);
  return mapDecoder(mapValues(schema), isDecodedRecord(schema) || schema.patternProperties !== undefined, decoderOf);
}

function withoutMaxLength({ maxLength: _, ...rules }: SchemaNode): SchemaNode {
  return rules;
}

function prepared(schema: SchemaNode, decode: Decoder): Decoder {
  const preparation = preparationOf(schema);
  if (!preparation) return decode;
  return (input, report) => {
    const outcome = preparation(input);
    if ('value' in outcome) return decode(outcome.value, report);
    return report.refuse('value_error', `Value error, ${outcome.fault}`, input, { error: {} });
  };
}

function refined(schema: SchemaNode, decode: Decoder): Decoder {
  const check = refinementOf(schema);
  if (!check) return decode;
  const { maxLength = Number.POSITIVE_INFINITY } = schema;
  return (input, report) => {
    const value = decode(input, report);
    if (value === REFUSED) return REFUSED;
    const fault = check(value);
    if (fault !== undefined) return report.refuse('value_error', `Value error, ${fault}`, input, { error: {} });
    // The length and the characters of a refined text are checked after the refinement.
    if (typeof value !== 'string') return value;
    if (schema.type === 'string' && value.includes('\0')) return refuseNul(input, report);
    if (value.length <= maxLength) return value;
    const length = [...value].length;
    return length <= maxLength ? value : refuseLong('Value', maxLength, length, input, report);
  };
}

/** A branch for null only makes the rest nullable; it is not named in issues. */
function anyOfDecoder(all: readonly SchemaNode[]): Decoder {
  const branches = all.filter((branch) => !isNull(branch));
  const [only] = branches;
  if (!only) return decodeNull;
  const decode =
    branches.length === 1
      ? decoderOf(only)
      : unionDecoder(branches.map((branch) => ({ name: branchNameFor(branch), decode: decoderOf(branch) })));
  if (branches.length === all.length) return decode;
  return (input, report) => (input === null ? null : decode(input, report));
}

function taggedDecoder(all: readonly SchemaNode[], tagName: string): Decoder {
  const branches = new Map<unknown, Decoder>();
  for (const branch of all) {
    const shape = branch['~lazy']?.() ?? branch;
    const tag = shape.properties?.[tagName];
    const values = tag?.const === undefined ? tag?.enum : [tag.const];
    if (!values) throw new TypeError(`a branch of a union has no constant '${tagName}'`);
    for (const value of values) branches.set(value, decoderOf(branch));
  }
  return taggedUnionDecoder(tagName, branches);
}
