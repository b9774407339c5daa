/**
 * Checks parameters against the JSON Schema that a client derived from a flow's signature, and run inputs against the
 * schema of their pause. Source of the rules and the messages: `POST /deployments/{id}/create_flow_run` of the Prefect
 * server 3.9.1.
 */
import { evaluationWork } from '../../fairness/foreign-work/request-work.ts';
import { bestMatch, fieldName, SchemaFault } from '../../json-schema/schema-error.ts';
import { metaSchemaFault, schemaErrors } from '../../json-schema/validate.ts';
import { isJsonObject, type JsonText, parseObject } from '../../values/json.ts';
import { pythonRepr } from '../../values/python-text.ts';

type Schema = Record<string, unknown>;

/** The reason why parameters are refused. `schema` is true if the fault is in the schema, not in the parameters. */
export interface ParameterRefusal {
  readonly kind: 'parameters' | 'schema';
  /** A sentence such as `Validation failed for field 'a.b'. Failure reason: 'x' is not of type 'integer'`. */
  readonly message: string;
}

export interface ValidationOptions {
  /** Parameters may be missing, because a run can still give them. */
  readonly ignoreRequired?: boolean;
  /** If false, the schema is applied unchanged, so null fits only if the schema allows it. */
  readonly prepare?: boolean;
}

/** Undefined when `values` fit. Formats are not checked. Takes bounded time, whatever the schema. */
export function validateParameters(
  schema: JsonText,
  values: JsonText,
  { ignoreRequired = false, prepare = true }: ValidationOptions = {},
): ParameterRefusal | undefined {
  if (!mayRead(schema.length + values.length)) return { kind: 'schema', message: `Invalid schema: ${TOO_MUCH}` };
  const given = parseObject(schema);
  const prepared = prepare ? prepareSchema(given) : given;
  const applied = ignoreRequired ? withoutRequired(prepared) : prepared;
  try {
    const best = bestMatch(schemaErrors(parseObject(values), applied));
    if (!best) return undefined;
    const field = fieldName(best.path);
    const where = field === '' ? '' : ` for field ${pythonRepr(field)}`;
    return { kind: 'parameters', message: `Validation failed${where}. Failure reason: ${best.message}` };
  } catch (error) {
    if (!(error instanceof SchemaFault)) throw error;
    return error.kind === 'reference'
      ? { kind: 'parameters', message: `Validation failed. Failure reason: ${error.message}` }
      : { kind: 'schema', message: `Invalid schema: ${error.message}` };
  }
}

/** The refusal when the request has spent its allowance for all evaluations. */
const TOO_MUCH = 'The schema is too large to be applied.';
/** Units of a request's allowance for parsing and preparing a character. */
const WORK_PER_CHARACTER = 4;

/** Counts the parsing of a schema and values. False when the request's allowance is spent. */
export function mayRead(characters: number): boolean {
  const work = evaluationWork();
  work.count(characters * WORK_PER_CHARACTER);
  return work.left > 0;
}

/** The fault of a parameter schema itself, as a sentence; undefined when it is valid. */
export function parameterSchemaFault(schema: JsonText): string | undefined {
  return metaSchemaFault(parseObject(schema));
}

/**
 * Adapts a schema for checking parameters. An optional property with a type and no default also accepts null; a list of
 * `items` has one schema for each position; a property for a block also accepts a reference to one.
 */
export function prepareSchema(schema: Schema): Schema {
  const prepared = prepareProperties(schema);
  const { definitions } = prepared;
  if (!isJsonObject(definitions)) return prepared;
  return { ...prepared, definitions: mapValues(definitions, prepareDefinition) };
}

function prepareDefinition(definition: unknown): unknown {
  if (!isJsonObject(definition)) return definition;
  const prepared = prepareProperties(definition);
  return 'block_type_slug' in definition ? { oneOf: [prepared, BLOCK_REFERENCE] } : prepared;
}

/** `{"$ref": "<id>"}` or `{"$ref": {"block_document_id": "<id>"}}`. */
const BLOCK_REFERENCE = {
  type: 'object',
  properties: {
    $ref: {
      oneOf: [
        { type: 'string', format: 'uuid' },
        { type: 'object', additionalProperties: { type: 'string' }, minProperties: 1 },
      ],
    },
  },
  required: ['$ref'],
};

function prepareProperties(schema: Schema): Schema {
  const { properties, required } = schema;
  if (!isJsonObject(properties)) return schema;
  const needed = new Set(Array.isArray(required) ? required : []);
  const prepare = (property: unknown, name: string) =>
    isJsonObject(property) ? prepareProperty(property, needed.has(name)) : property;
  return { ...schema, properties: mapValues(properties, prepare) };
}

function prepareProperty(property: Schema, isRequired: boolean): Schema {
  let prepared = prepareProperties(property);
  if (!isRequired && 'type' in prepared && !('default' in prepared)) {
    const { type, ...rest } = prepared;
    prepared = { ...rest, anyOf: [{ type }, { type: 'null' }] };
  }
  if (Array.isArray(prepared['items'])) {
    const { items, ...rest } = prepared;
    prepared = { ...rest, prefixItems: items };
  }
  return prepared;
}

/** Keeps `required` inside unions, where it distinguishes the branches. */
function withoutRequired(schema: Schema): Schema {
  const { required, ...rest } = schema;
  return mapValues(rest, (value, keyword) => {
    if (!isJsonObject(value)) return value;
    if (keyword === 'properties' || keyword === 'definitions' || keyword === '$defs') {
      return mapValues(value, (member) => (isJsonObject(member) ? withoutRequired(member) : member));
    }
    return withoutRequired(value);
  });
}

/** Keeps keys such as `__proto__` as keys. */
function mapValues(object: Schema, change: (value: unknown, key: string) => unknown): Schema {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]));
}
