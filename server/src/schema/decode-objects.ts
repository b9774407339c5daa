/** Decoders of values with keys: shapes, maps, bodies in parts, and the parameters of a URL. */
import { isPrinted, jsonTextOf, keepOrder, keysInOrder } from '../values/json.ts';
import { type Decoder, isObject, REFUSED, Report } from './issues.ts';
import { keepsUnset } from './kinds.ts';
import type { SchemaNode } from './schema-node.ts';

export type DecoderOf = (schema: SchemaNode) => Decoder;

interface Field {
  readonly name: string;
  readonly decode: Decoder;
  readonly required: boolean;
  /** Decodes the default anew, so that no two values share an array; undefined when there is none. */
  readonly makeDefault: (() => unknown) | undefined;
}

function fieldsOf(schema: SchemaNode, decoderOf: DecoderOf): readonly Field[] {
  const required = new Set(schema.required);
  return Object.entries(schema.properties ?? {}).map(([name, property]) => {
    // Inputs are read by plain property access, which would also find inherited names.
    if (name in {}) throw new TypeError(`a field cannot be called '${name}'`);
    return {
      name,
      decode: decoderOf(property),
      required: required.has(name) && property.default === undefined,
      makeDefault: keepsUnset(schema) ? undefined : defaultMaker(property, decoderOf),
    };
  });
}

function defaultMaker(property: SchemaNode, decoderOf: DecoderOf): (() => unknown) | undefined {
  const wire = property.default;
  if (wire === undefined) return undefined;
  const make = () => decoderOf(property)(wire, new Report());
  const value = make();
  if (value === REFUSED) throw new TypeError(`a default does not fit its schema: ${JSON.stringify(wire)}`);
  if (Array.isArray(value) && value.length === 0) return () => [];
  return typeof value === 'object' && value !== null ? make : () => value;
}

export function shapeDecoder(schema: SchemaNode, decoderOf: DecoderOf): Decoder {
  const fields = fieldsOf(schema, decoderOf);
  const refusesExtra = schema.additionalProperties === false;
  const known = new Set(fields.map((field) => field.name));
  return (input, report) => {
    if (!isObject(input)) return refuseShape(input, report);
    const { issues } = report;
    const before = issues.length;
    const result: Record<string, unknown> = {};
    let given = 0;
    for (const field of fields) {
      const { name } = field;
      const value = input[name];
      if (value !== undefined) {
        given++;
        const from = issues.length;
        const decoded = field.decode(value, report);
        if (decoded === REFUSED) report.within(name, from);
        else result[name] = decoded;
      } else if (field.required) {
        issues.push({ type: 'missing', loc: [name], msg: 'Field required', input });
      } else if (field.makeDefault !== undefined) {
        result[name] = field.makeDefault();
      }
    }
    if (refusesExtra && hasMoreKeysThan(input, given)) refuseExtras(input, known, report);
    if (issues.length > before) return REFUSED;
    report.fieldsGiven = (report.fieldsGiven ?? 0) + given;
    return result;
  };
}

function hasMoreKeysThan(input: object, count: number): boolean {
  let left = count;
  for (const _ in input) if (--left < 0) return true;
  return false;
}

export function refuseShape(input: unknown, report: Report): typeof REFUSED {
  const msg = 'Input should be a valid dictionary or object to extract fields from';
  return report.refuse('model_attributes_type', msg, input);
}

function refuseExtras(input: Record<string, unknown>, known: ReadonlySet<string>, report: Report): void {
  for (const key of keysInOrder(input)) {
    if (report.isFull) return;
    if (known.has(key)) continue;
    const msg = 'Extra inputs are not permitted';
    report.issues.push({ type: 'extra_forbidden', loc: [key], msg, input: input[key] });
  }
}

/**
 * An object with any keys. Without `values`, the values may be anything. The result is JSON text, or an object of
 * decoded values if `asRecord` is true.
 */
export function mapDecoder(values: SchemaNode | undefined, asRecord: boolean, decoderOf: DecoderOf): Decoder {
  if (values === undefined) {
    return (input, report) =>
      isObject(input) || isPrinted(input, 'object') ? jsonTextOf(input) : refuseMap(input, report);
  }
  const decode = decoderOf(values);
  return (input, report) => {
    if (!isObject(input)) return refuseMap(input, report);
    const before = report.issues.length;
    const result: [string, unknown][] = [];
    for (const key of keysInOrder(input)) {
      const from = report.issues.length;
      const value = decode(input[key], report);
      if (value === REFUSED) report.within(key, from);
      else if (asRecord) result.push([key, value]);
      if (report.isFull) break;
    }
    if (report.issues.length > before) return REFUSED;
    if (!asRecord) return jsonTextOf(input);
    const record = Object.fromEntries(result);
    keepOrder(input, record);
    return record;
  };
}

function refuseMap(input: unknown, report: Report): typeof REFUSED {
  return report.refuse('dict_type', 'Input should be a valid dictionary', input);
}

/**
 * A body in parts. A part that is null counts as absent. In a body that is not an object every part is missing, even
 * one with a default. Source: FastAPI's embedded body parameters; decode.test.ts shows the answers.
 */
export function partsDecoder(schema: SchemaNode, decoderOf: DecoderOf): Decoder {
  const fields = fieldsOf(schema, decoderOf);
  return (input, report) => {
    const isAbsent = input === undefined || input === null;
    const parts = isObject(input) ? input : {};
    return decodeEach(fields, (name) => parts[name] ?? undefined, !isAbsent && parts !== input, report);
  };
}

/** Parameters of a query, a path or headers: one text each, or several if the schema is a list. */
export function parametersDecoder(schema: SchemaNode, decoderOf: DecoderOf): Decoder {
  const fields = fieldsOf(schema, decoderOf);
  const lists = new Set(fields.map(({ name }) => name).filter((name) => isListParameter(schema.properties?.[name])));
  return (input, report) => {
    const given = isObject(input) ? input : {};
    const read = (name: string) => {
      const value = given[name];
      if (lists.has(name)) return typeof value === 'string' ? [value] : value;
      // The last value of a repeated parameter counts.
      return Array.isArray(value) ? value.at(-1) : value;
    };
    return decodeEach(fields, read, false, report);
  };
}

function isListParameter(schema: SchemaNode | undefined): boolean {
  return schema?.type === 'array' || (schema?.anyOf?.some((branch) => branch.type === 'array') ?? false);
}

function decodeEach(
  fields: readonly Field[],
  read: (name: string) => unknown,
  lacksAll: boolean,
  report: Report,
): Record<string, unknown> | typeof REFUSED {
  const before = report.issues.length;
  const result: Record<string, unknown> = {};
  for (const { name, decode, required, makeDefault } of fields) {
    const value = read(name);
    if (value !== undefined) {
      const from = report.issues.length;
      const decoded = decode(value, report);
      if (decoded === REFUSED) report.within(name, from);
      else result[name] = decoded;
    } else if (required || lacksAll) {
      report.issues.push({ type: 'missing', loc: [name], msg: 'Field required', input: null });
    } else if (makeDefault) {
      result[name] = makeDefault();
    }
  }
  return report.issues.length > before ? REFUSED : result;
}
