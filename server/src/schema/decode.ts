/**
 * Compiles a schema to a function that reads a request's value: lax where the reference is lax, defaults filled in, ids
 * and times in their one spelling, open JSON as text. What does not fit is told issue by issue in the reference's words.
 */
import type { ValidationIssue } from '../errors.ts';
import { jsonTextOf, keysInOrder } from '../json.ts';
import { branchNameFor } from './branch-names.ts';
import {
  decodeBoolean,
  decodeDateTime,
  decodeNull,
  decodeUuid,
  enumDecoder,
  integerDecoder,
  literalDecoder,
  numberDecoder,
  stringDecoder,
} from './decode-scalars.ts';
import { taggedUnionDecoder, unionDecoder } from './decode-unions.ts';
import { type Decoder, isObject, LAX, REFUSED, Report } from './issues.ts';
import { isBodyParts, isDecodedRecord, keepsUnset, refinementOf, type Static, type TSchema } from './kinds.ts';

export type Location = 'body' | 'query' | 'path' | 'header';
export type Decoded<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: ValidationIssue[] };

/** What the decoders read of a JSON Schema. */
export interface SchemaNode {
  readonly $id?: string;
  readonly type?: string;
  readonly format?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | SchemaNode;
  readonly patternProperties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode | readonly SchemaNode[];
  readonly prefixItems?: readonly SchemaNode[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly anyOf?: readonly SchemaNode[];
  readonly oneOf?: readonly SchemaNode[];
  readonly discriminator?: { readonly propertyName: string };
  readonly default?: unknown;
  readonly '~lazy'?: () => SchemaNode;
}

/**
 * `location` is the first key of each issue's `loc`. Query, path and header values arrive as text, or as an array of
 * texts where a parameter is repeated. A body that is absent or null is `missing`, unless the schema takes null or has
 * a default. Compile once, at start; the schema itself is not looked at afterwards.
 */
export function compileDecoder<T extends TSchema>(
  schema: T,
  location: Location,
): (input: unknown) => Decoded<Static<T>> {
  const node = schema as SchemaNode;
  const decode = location === 'body' ? bodyDecoder(node) : parameterDecoder(node);
  return (input) => {
    const report = new Report();
    const value = decode(input, report);
    if (report.issues.length === 0) return { ok: true, value: value as Static<T> };
    report.within(location, 0);
    return { ok: false, issues: report.issues };
  };
}

function bodyDecoder(schema: SchemaNode): Decoder {
  const decode = decoderOf(schema);
  const acceptsNull = schema.anyOf?.some((branch) => branch.type === 'null') ?? false;
  return (input, report) => {
    if ((input === undefined || input === null) && !isBodyParts(schema)) {
      if (acceptsNull) return null;
      if (schema.default === undefined) return report.refuse('missing', 'Field required', null);
      return decode(schema.default, report);
    }
    return decode(input, report);
  };
}

const compiled = new WeakMap<object, Decoder>();

/** The decoder of a schema, made once per schema object. */
export function decoderOf(schema: SchemaNode): Decoder {
  const known = compiled.get(schema);
  if (known) return known;
  const decode = refined(schema, build(schema));
  compiled.set(schema, decode);
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
  if (schema.anyOf) return anyOfDecoder(schema.anyOf);
  if (schema.oneOf && schema.discriminator) return taggedDecoder(schema.oneOf, schema.discriminator.propertyName);
  if (schema.oneOf) return anyOfDecoder(schema.oneOf);
  if (schema.const !== undefined) return literalDecoder([schema.const]);
  if (schema.enum) return schema.$id === undefined ? literalDecoder(schema.enum) : enumDecoder(schema.enum);
  switch (schema.type) {
    case 'string':
      if (schema.format === 'uuid') return decodeUuid;
      if (schema.format === 'date-time') return decodeDateTime;
      return stringDecoder(schema);
    case 'integer':
      return integerDecoder(schema);
    case 'number':
      return numberDecoder(schema);
    case 'boolean':
      return decodeBoolean;
    case 'null':
      return decodeNull;
    case 'array':
      return arrayDecoder(schema);
    case 'object':
      return objectDecoder(schema);
    case undefined:
      return jsonTextOf;
    default:
      throw new TypeError(`a schema of type '${schema.type}' cannot be decoded`);
  }
}

function refined(schema: SchemaNode, decode: Decoder): Decoder {
  const check = refinementOf(schema);
  if (!check) return decode;
  return (input, report) => {
    const value = decode(input, report);
    if (value === REFUSED) return REFUSED;
    const fault = check(value);
    return fault === undefined ? value : report.refuse('value_error', `Value error, ${fault}`, input, { error: {} });
  };
}

function anyOfDecoder(all: readonly SchemaNode[]): Decoder {
  const branches = all.filter((branch) => branch.type !== 'null');
  const [only] = branches;
  if (only === undefined) return decodeNull;
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
    const shape = branch['~lazy'] ? branch['~lazy']() : branch;
    const tag = shape.properties?.[tagName];
    const values = tag?.const === undefined ? tag?.enum : [tag.const];
    if (!values) throw new TypeError(`a branch of a union has no constant '${tagName}'`);
    for (const value of values) branches.set(value, decoderOf(shape));
  }
  return taggedUnionDecoder(tagName, branches);
}

function objectDecoder(schema: SchemaNode): Decoder {
  if (schema.properties) return shapeDecoder(schema);
  const values = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
  if (values) return mapDecoder(values, isDecodedRecord(schema));
  const [pattern] = Object.values(schema.patternProperties ?? {});
  if (pattern) return mapDecoder(pattern, true);
  return (input, report) => (isObject(input) ? jsonTextOf(input) : refuseMap(input, report));
}

function refuseMap(input: unknown, report: Report): typeof REFUSED {
  return report.refuse('dict_type', 'Input should be a valid dictionary', input);
}

function mapDecoder(values: SchemaNode, asObject: boolean): Decoder {
  const decode = decoderOf(values);
  return (input, report) => {
    if (!isObject(input)) return refuseMap(input, report);
    const before = report.issues.length;
    const result: [string, unknown][] = [];
    for (const key of keysInOrder(input)) {
      const from = report.issues.length;
      result.push([key, decode(input[key], report)]);
      report.within(key, from);
    }
    if (report.issues.length > before) return REFUSED;
    return asObject ? Object.fromEntries(result) : jsonTextOf(input);
  };
}

interface Field {
  readonly name: string;
  readonly decode: Decoder;
  readonly required: boolean;
  /** Decodes the default anew, so that no two values share an array; undefined when there is none. */
  readonly makeDefault: (() => unknown) | undefined;
}

function fieldsOf(schema: SchemaNode): Field[] {
  const withoutDefaults = keepsUnset(schema);
  return Object.entries(schema.properties ?? {}).map(([name, property]) => ({
    name,
    decode: decoderOf(property),
    required: (schema.required?.includes(name) ?? false) && property.default === undefined,
    makeDefault: withoutDefaults ? undefined : defaultMaker(property),
  }));
}

function defaultMaker(property: SchemaNode): (() => unknown) | undefined {
  const wire = property.default;
  if (wire === undefined) return undefined;
  const make = () => decoderOf(property)(wire, new Report());
  const first = make();
  if (first === REFUSED) throw new TypeError(`a default does not fit its schema: ${JSON.stringify(wire)}`);
  return typeof first === 'object' && first !== null ? make : () => first;
}

function shapeDecoder(schema: SchemaNode): Decoder {
  // A shape may hold itself, so its fields are compiled when the first value arrives.
  let fields: readonly Field[] | undefined;
  const refusesExtra = schema.additionalProperties === false;
  const asParts = isBodyParts(schema);
  const known = new Set(Object.keys(schema.properties ?? {}));
  return (input, report) => {
    fields ??= fieldsOf(schema);
    if (asParts) return decodeParts(fields, input, report);
    if (!isObject(input)) {
      const msg = 'Input should be a valid dictionary or object to extract fields from';
      return report.refuse('model_attributes_type', msg, input);
    }
    const before = report.issues.length;
    const result: Record<string, unknown> = {};
    let given = 0;
    for (const field of fields) {
      const value = input[field.name];
      if (value !== undefined) {
        given++;
        const from = report.issues.length;
        const decoded = field.decode(value, report);
        if (decoded === REFUSED) report.within(field.name, from);
        else result[field.name] = decoded;
      } else if (field.required) {
        report.issues.push({ type: 'missing', loc: [field.name], msg: 'Field required', input });
      } else if (field.makeDefault) {
        result[field.name] = field.makeDefault();
      }
    }
    if (refusesExtra && Object.keys(input).length !== given) refuseExtras(input, known, report);
    if (report.issues.length > before) return REFUSED;
    report.fieldsGiven = (report.fieldsGiven ?? 0) + given;
    return result;
  };
}

function refuseExtras(input: Record<string, unknown>, known: ReadonlySet<string>, report: Report): void {
  for (const key of keysInOrder(input)) {
    if (known.has(key)) continue;
    const msg = 'Extra inputs are not permitted';
    report.issues.push({ type: 'extra_forbidden', loc: [key], msg, input: input[key] });
  }
}

/** A body that is no object lacks every part, even those with a default. Source: reference behaviour. */
function decodeParts(fields: readonly Field[], input: unknown, report: Report): unknown {
  const before = report.issues.length;
  const result: Record<string, unknown> = {};
  const parts = isObject(input) ? input : {};
  const lacksAll = input !== undefined && input !== null && parts !== input;
  for (const field of fields) {
    const value = parts[field.name];
    if (value !== undefined && value !== null) {
      const from = report.issues.length;
      const decoded = field.decode(value, report);
      if (decoded === REFUSED) report.within(field.name, from);
      else result[field.name] = decoded;
    } else if (field.required || lacksAll) {
      report.issues.push({ type: 'missing', loc: [field.name], msg: 'Field required', input: null });
    } else if (field.makeDefault) {
      result[field.name] = field.makeDefault();
    }
  }
  return report.issues.length > before ? REFUSED : result;
}

/** Parameters of a query, a path or headers: one text each; several where the schema is an array. */
function parameterDecoder(schema: SchemaNode): Decoder {
  const fields = fieldsOf(schema).map((field) => {
    const property = schema.properties?.[field.name];
    const isList = property?.type === 'array' || (property?.anyOf?.some((branch) => branch.type === 'array') ?? false);
    return { ...field, isList };
  });
  return (input, report) => {
    const given = isObject(input) ? input : {};
    const result: Record<string, unknown> = {};
    for (const field of fields) {
      let value = given[field.name];
      if (field.isList && typeof value === 'string') value = [value];
      // Of a repeated parameter the last one counts.
      if (!field.isList && Array.isArray(value)) value = value.at(-1);
      if (value !== undefined) {
        const from = report.issues.length;
        const decoded = field.decode(value, report);
        if (decoded === REFUSED) report.within(field.name, from);
        else result[field.name] = decoded;
      } else if (field.required) {
        report.issues.push({ type: 'missing', loc: [field.name], msg: 'Field required', input: null });
      } else if (field.makeDefault) {
        result[field.name] = field.makeDefault();
      }
    }
    return result;
  };
}

function arrayDecoder(schema: SchemaNode): Decoder {
  const tuple =
    schema.prefixItems ?? (Array.isArray(schema.items) ? (schema.items as readonly SchemaNode[]) : undefined);
  if (tuple) return tupleDecoder(tuple.map(decoderOf));
  const items = schema.items as SchemaNode | undefined;
  if (!items) return (input, report) => (Array.isArray(input) ? jsonTextOf(input) : refuseList(input, report, false));
  let decode: Decoder | undefined;
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, uniqueItems = false } = schema;
  return (input, report) => {
    decode ??= decoderOf(items);
    if (!Array.isArray(input)) return refuseList(input, report, uniqueItems);
    if (uniqueItems) report.lower(LAX);
    const before = report.issues.length;
    const what = uniqueItems ? 'Set' : 'List';
    if (!uniqueItems && input.length > maxItems) {
      const msg = `${what} should have at most ${maxItems} item${maxItems === 1 ? '' : 's'} after validation, not ${input.length}`;
      const ctx = { field_type: what, max_length: maxItems, actual_length: input.length };
      return report.refuse('too_long', msg, input, ctx);
    }
    const result: unknown[] = [];
    for (let index = 0; index < input.length; index++) {
      const from = report.issues.length;
      const decoded = decode(input[index], report);
      if (decoded === REFUSED) report.within(index, from);
      else result.push(decoded);
    }
    if (report.issues.length > before) return REFUSED;
    const values = uniqueItems ? [...new Set(result)] : result;
    if (values.length < minItems) {
      const msg = `${what} should have at least ${minItems} item${minItems === 1 ? '' : 's'} after validation, not ${values.length}`;
      const ctx = { field_type: what, min_length: minItems, actual_length: values.length };
      return report.refuse('too_short', msg, input, ctx);
    }
    return values;
  };
}

function refuseList(input: unknown, report: Report, isSet: boolean): typeof REFUSED {
  return isSet
    ? report.refuse('set_type', 'Input should be a valid set', input)
    : report.refuse('list_type', 'Input should be a valid list', input);
}

function tupleDecoder(items: readonly Decoder[]): Decoder {
  return (input, report) => {
    if (!Array.isArray(input)) return report.refuse('tuple_type', 'Input should be a valid tuple', input);
    const before = report.issues.length;
    const result: unknown[] = [];
    items.forEach((decode, index) => {
      if (index >= input.length) {
        report.issues.push({ type: 'missing', loc: [index], msg: 'Field required', input });
        return;
      }
      const from = report.issues.length;
      const decoded = decode(input[index], report);
      if (decoded === REFUSED) report.within(index, from);
      else result.push(decoded);
    });
    if (input.length > items.length) {
      const msg = `Tuple should have at most ${items.length} item${items.length === 1 ? '' : 's'} after validation, not ${input.length}`;
      const ctx = { field_type: 'Tuple', max_length: items.length, actual_length: input.length };
      report.refuse('too_long', msg, input, ctx);
    }
    return report.issues.length > before ? REFUSED : result;
  };
}
