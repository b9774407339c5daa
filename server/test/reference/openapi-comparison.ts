/**
 * Compares two OpenAPI documents: their operations, the requests and answers of each, and the schemas behind them.
 * Leaves out prose (titles, descriptions, ids of operations) and credentials.
 */
import { documentDifferences, oneName, simplified } from '../conformance/openapi-equivalence.ts';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type JsonObject = { [key: string]: Json };

export interface OpenApiComparison {
  /** By operation (`POST /flows/`) or schema (`schema Flow`), its differences; an empty list where there are none. */
  readonly compared: ReadonlyMap<string, readonly string[]>;
  /** Properties (`FlowRunCreate.name`) that differ on purpose, with the reason. */
  readonly meant: ReadonlyMap<string, string>;
  /** Operations of the reference that our document does not have. */
  readonly missingOperations: readonly string[];
  /** Schemas that only such operations need. */
  readonly missingSchemas: readonly string[];
  /** Operations that only our document has. */
  readonly extraOperations: readonly string[];
}

const PROSE = new Set([
  ...['description', 'title', 'summary', 'operationId', 'tags', 'example', 'examples', 'deprecated'],
  'supported_environment_variables',
  'security',
]);
const METHODS = ['get', 'put', 'post', 'patch', 'delete', 'head', 'options'] as const;

/** Both arguments are parsed OpenAPI 3.1 documents; paths may stand with or without `/api` in front. */
export function compareOpenApi(reference: unknown, ours: unknown): OpenApiComparison {
  const [operationsOfReference, operationsOfOurs] = [operationsIn(reference), operationsIn(ours)];
  const [schemasOfReference, schemasOfOurs] = [schemasIn(reference), schemasIn(ours)];
  const compared = new Map<string, readonly string[]>();
  const missingOperations: string[] = [];
  const meant = new Map<string, string>();
  const needed = new Set<string>();
  for (const [name, operation] of operationsOfReference) {
    const other = operationsOfOurs.get(name);
    if (!other) {
      missingOperations.push(name);
      continue;
    }
    compared.set(name, unmeant(name, differencesOf(normalOperation(operation), normalOperation(other)), meant));
    collectSchemas(operation, schemasOfReference, needed);
  }
  const missingSchemas: string[] = [];
  for (const [name, schema] of Object.entries(schemasOfReference)) {
    // We have one shape for requests and answers, and document what requests may contain.
    if (name.endsWith('-Output') && !(name in schemasOfOurs)) continue;
    const other = schemasOfOurs[name] ?? schemasOfOurs[oneName(name)];
    if (other !== undefined) compared.set(`schema ${name}`, unmeant(name, differencesOf(schema, other), meant));
    else if (needed.has(name)) compared.set(`schema ${name}`, ['missing']);
    else missingSchemas.push(name);
  }
  const extraOperations = [...operationsOfOurs.keys()].filter((name) => !operationsOfReference.has(name));
  return { compared, meant, missingOperations, missingSchemas, extraOperations };
}

function operationsIn(document: unknown): Map<string, JsonObject> {
  const operations = new Map<string, JsonObject>();
  for (const [path, item] of Object.entries(objectAt(document as Json, 'paths'))) {
    for (const method of METHODS) {
      if (!isObject(item) || !isObject(item[method])) continue;
      operations.set(`${method.toUpperCase()} ${path.replace(/^\/api\//, '/')}`, item[method]);
    }
  }
  return operations;
}

function schemasIn(document: unknown): JsonObject {
  return objectAt(objectAt(document as Json, 'components'), 'schemas');
}

/** Parameters by place and name, so that their order has no meaning. */
function normalOperation(operation: JsonObject): JsonObject {
  const parameters = Array.isArray(operation.parameters) ? operation.parameters.filter(isObject) : [];
  return {
    ...operation,
    parameters: Object.fromEntries(
      parameters.map((one) => [`${String(one.in)} ${String(one.name).toLowerCase()}`, one]),
    ),
  };
}

/** The names of all schemas that a value refers to, through others too. */
function collectSchemas(value: Json, schemas: JsonObject, found: Set<string>): void {
  if (Array.isArray(value)) {
    for (const item of value) collectSchemas(item, schemas, found);
  } else if (isObject(value)) {
    const name = typeof value.$ref === 'string' ? (value.$ref.split('/').at(-1) as string) : undefined;
    if (name !== undefined && !found.has(name)) {
      found.add(name);
      collectSchemas(schemas[name] ?? null, schemas, found);
    }
    for (const member of Object.values(value)) collectSchemas(member, schemas, found);
  }
}

function differencesOf(a: Json, b: Json): string[] {
  const found: string[] = [];
  compareNodes(simplified(a) as Json, simplified(b) as Json, '', found);
  return found;
}

/** The differences without a reason; those with one go into `meant`. */
function unmeant(of: string, found: readonly string[], meant: Map<string, string>): string[] {
  return found.filter((difference) => {
    const property = `${of}.${/^(?:properties\.)?(\w+)/.exec(difference)?.[1] ?? ''}`;
    const reason = documentDifferences[property];
    if (reason !== undefined) meant.set(property, reason);
    return reason === undefined;
  });
}

function compareNodes(a: Json, b: Json, place: string, found: string[], names = false): void {
  if (isObject(a) && isObject(b)) {
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
      if (!names && (PROSE.has(key) || (isNothing(key, a) && isNothing(key, b)))) continue;
      const inner = place === '' ? key : `${place}.${key}`;
      if (!(key in b)) found.push(`${inner}: ${text(a[key] as Json)} | absent`);
      else if (!(key in a)) found.push(`${inner}: absent | ${text(b[key] as Json)}`);
      else compareNodes(a[key] as Json, b[key] as Json, inner, found, key === 'properties' && !names);
    }
  } else if (Array.isArray(a) && Array.isArray(b)) {
    if (a.length !== b.length) {
      found.push(`${place}: ${text(a)} | ${text(b)}`);
      return;
    }
    const [sortedA, sortedB] = [a, b].map((list) => list.toSorted((one, other) => (text(one) < text(other) ? -1 : 1)));
    for (const [index, item] of sortedA?.entries() ?? []) {
      compareNodes(item, sortedB?.[index] as Json, `${place}[]`, found);
    }
  } else if (a !== b) {
    found.push(`${place}: ${text(a)} | ${text(b)}`);
  }
}

/** An empty list of required properties means the same as no list. */
function isNothing(key: string, schema: JsonObject): boolean {
  const value = schema[key];
  return key === 'required' && (value === undefined || (Array.isArray(value) && value.length === 0));
}

/** A value without its prose and with sorted keys: also the order by which the members of a set are paired. */
function text(value: Json): string {
  return JSON.stringify(value, (_key, part: Json) =>
    isObject(part)
      ? Object.fromEntries(
          Object.entries(part)
            .filter(([key]) => !PROSE.has(key))
            .sort(([one], [other]) => (one < other ? -1 : 1)),
        )
      : part,
  );
}

function objectAt(value: Json, key: string): JsonObject {
  const member = isObject(value) ? value[key] : undefined;
  return isObject(member) ? member : {};
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
