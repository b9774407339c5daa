/**
 * The OpenAPI 3.1 document of the API, made from the shapes that decode requests and encode answers. Its structure is
 * the reference server's; a test compares the two (`test/conformance/openapi-components.test.ts`).
 */
import { STATUS_CODES } from 'node:http';
import {
  documentedAs,
  isBodyParts,
  mediaTypeOf,
  Shape,
  type Static,
  type TSchema,
  Type,
  Uuid,
} from '../../schema/kinds.ts';
import { mapValues, type SchemaNode, tupleItems } from '../../schema/schema-node.ts';
import type { Route } from '../routes/route.ts';

/** JSON Schema 2020-12 as plain data. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** The facts of a route that the document shows. */
export type DescribedRoute = Pick<
  Route,
  | 'method'
  | 'path'
  | 'operationId'
  | 'tags'
  | 'parameters'
  | 'query'
  | 'headers'
  | 'body'
  | 'bodyOptional'
  | 'anyApiVersion'
  | 'responses'
> & {
  readonly summary?: string;
  readonly description?: string;
  /** The security of the route, if it differs from that of the document; empty if no credential is required. */
  readonly security?: readonly object[];
  /** The body is bytes. */
  readonly binary?: boolean;
  /** Codes of the errors with status 409. */
  readonly conflicts?: readonly string[];
};

interface OpenApiInfo {
  readonly title: string;
  readonly version: string;
}

const ValidationError = Shape(
  'ValidationError',
  {
    loc: Type.Array(Type.Union([Type.String(), Type.Integer()])),
    msg: Type.String(),
    type: Type.String(),
    input: Type.Optional(Type.Unsafe<unknown>({})),
    ctx: Type.Optional(Type.Unsafe<object>({ type: 'object' })),
  },
  'ignore',
);

export const HTTPValidationError = Shape(
  'HTTPValidationError',
  { detail: Type.Optional(Type.Array(ValidationError)) },
  'ignore',
);
export type HTTPValidationError = Static<typeof HTTPValidationError>;

const apiVersionParameter = {
  name: 'x-prefect-api-version',
  in: 'header',
  required: false,
  schema: { type: 'string' },
};

/** Routes of the same path become one entry; components are those that the routes mention, by name. */
export function openApiDocument(routes: readonly DescribedRoute[], info: OpenApiInfo): JsonSchema {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  const mentioned: TSchema[] = [HTTPValidationError];
  for (const route of routes) {
    paths[route.path] ??= {};
    paths[route.path]![route.method.toLowerCase()] = operationOf(route);
    const inPath = Object.values(route.parameters ?? {}).filter((parameter) => typeof parameter === 'object');
    for (const schema of [...inPath, route.query, route.headers, route.body, ...Object.values(route.responses)]) {
      if (schema) mentioned.push(schema);
    }
  }
  return { openapi: '3.1.0', info, paths, components: { schemas: componentsOf(mentioned) } };
}

function operationOf(route: DescribedRoute): JsonSchema {
  const checksVersion = !route.anyApiVersion;
  const parameters = [
    ...pathParameters(route),
    ...parametersIn('query', route.query),
    ...parametersIn('header', route.headers),
    ...(checksVersion ? [apiVersionParameter] : []),
  ];
  const responses = checksVersion ? { 422: HTTPValidationError, ...route.responses } : route.responses;
  return {
    ...(route.tags.length > 0 ? { tags: route.tags } : {}),
    operationId: route.operationId,
    ...(route.summary === undefined ? {} : { summary: route.summary }),
    ...(route.description === undefined ? {} : { description: route.description }),
    ...(route.security === undefined ? {} : { security: route.security }),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(route.body ? { requestBody: requestBodyOf(route.body, route.bodyOptional ?? false) } : {}),
    ...(route.binary ? { requestBody: { required: true, content: { 'application/octet-stream': {} } } } : {}),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, schema]) => [status, responseOf(status, schema, route)]),
    ),
  };
}

function pathParameters(route: DescribedRoute): JsonSchema[] {
  return [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const parameter = route.parameters?.[name];
    const described = typeof parameter === 'object' ? parameter : parameter === 'uuid' ? Uuid() : Type.String();
    return { name, in: 'path', required: true, schema: schemaReference(described) };
  });
}

function parametersIn(place: 'query' | 'header', shape: TSchema | undefined): JsonSchema[] {
  const { properties = {}, required } = (shape ?? {}) as SchemaNode;
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: isRequired(name, property, required),
    ...descriptionOf(property),
    schema: reference(property),
  }));
}

/** Tools read the description from the parameter, not from its schema. */
function descriptionOf(property: SchemaNode): { description?: unknown } {
  const { description } = property as SchemaNode & JsonSchema;
  return description === undefined ? {} : { description };
}

function requestBodyOf(body: TSchema, optional: boolean): JsonSchema {
  const content = contentOf(body);
  const canBeEmpty = optional || (isBodyParts(body) && requiredOf(body as SchemaNode).length === 0);
  return canBeEmpty ? { content } : { required: true, content };
}

function responseOf(status: string, schema: TSchema | null, { conflicts }: DescribedRoute): JsonSchema {
  const codes = status === '409' && conflicts ? `: ${conflicts.join(', ')}` : '';
  const description = `${STATUS_CODES[status] ?? ''}${codes}`;
  return schema ? { content: contentOf(schema), description } : { description };
}

function contentOf(schema: TSchema): JsonSchema {
  return { [mediaTypeOf(schema) ?? 'application/json']: { schema: schemaReference(schema) } };
}

/** A schema in its place of use: named shapes as `$ref`, the rest in full. */
export function schemaReference(schema: TSchema): JsonSchema {
  return reference(schema as SchemaNode);
}

/** All named shapes that `schemas` are or contain, in full, sorted by name. */
export function componentsOf(schemas: readonly TSchema[]): Record<string, JsonSchema> {
  const found = new Map<string, SchemaNode>();
  for (const schema of schemas) collect(schema as SchemaNode, found);
  const names = [...found.keys()].sort();
  return Object.fromEntries(names.map((name) => [name, component(found.get(name)!)]));
}

function collect(schema: SchemaNode, found: Map<string, SchemaNode>): void {
  const { $id, '~lazy': later } = schema;
  if (later) {
    collect(later(), found);
    return;
  }
  if ($id !== undefined) {
    if (found.has($id)) return;
    found.set($id, schema);
  }
  for (const child of childrenOf(schema)) collect(child, found);
}

function childrenOf(schema: SchemaNode): SchemaNode[] {
  const values = mapValues(schema);
  return [
    ...Object.values(schema.properties ?? {}),
    ...(values ? [values] : []),
    ...(schema.items === undefined ? [] : [schema.items].flat()),
    ...(schema.prefixItems ?? []),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
  ];
}

/** The shape without keywords of a single use. */
function component(schema: SchemaNode): JsonSchema {
  const {
    default: _default,
    deprecated: _deprecated,
    description: _description,
    ...shape
  } = schema as SchemaNode & JsonSchema;
  return inFull(shape as SchemaNode);
}

function reference(schema: SchemaNode): JsonSchema {
  if (schema['~lazy']) return reference(schema['~lazy']());
  if (schema.$id === undefined) return inFull(schema);
  const { default: value, deprecated, description } = schema as SchemaNode & JsonSchema;
  return {
    $ref: `#/components/schemas/${schema.$id}`,
    ...(value === undefined ? {} : { default: value }),
    ...(deprecated === undefined ? {} : { deprecated }),
    ...(description === undefined ? {} : { description }),
  };
}

/** Marks outside of JSON Schema are symbols, hidden, or begin with `~`. */
function inFull(schema: SchemaNode): JsonSchema {
  const { $id, required, items, prefixItems, patternProperties, additionalProperties, ...plain } = schema;
  const documented = documentedAs(schema);
  const result: Record<string, unknown> = Object.fromEntries(
    Object.entries(plain).filter(([keyword]) => !keyword.startsWith('~') && keyword !== 'additionalItems'),
  );
  if (documented) {
    const { type: _type, format: _format, ...rest } = result;
    return { ...rest, ...documented };
  }
  if (schema.properties) {
    const properties = Object.entries(schema.properties);
    result['properties'] = Object.fromEntries(properties.map(([name, property]) => [name, reference(property)]));
    const names = requiredOf(schema);
    if (names.length > 0) result['required'] = names;
  }
  const values = mapValues(schema);
  if (values) result['additionalProperties'] = reference(values);
  else if (additionalProperties !== undefined) result['additionalProperties'] = additionalProperties;
  const tuple = tupleItems(schema);
  if (tuple) {
    Object.assign(result, { prefixItems: tuple.map(reference), minItems: tuple.length, maxItems: tuple.length });
  } else if (items) {
    result['items'] = reference(items as SchemaNode);
  }
  if (schema.anyOf) result['anyOf'] = schema.anyOf.flatMap(alternatives).map(reference);
  if (schema.oneOf) result['oneOf'] = schema.oneOf.map(reference);
  return result;
}

/** A union inside a union, which `Nullable` makes, is written as one union. */
function alternatives(schema: SchemaNode): readonly SchemaNode[] {
  const documented = documentedAs(schema);
  if (documented) return documented.anyOf as readonly SchemaNode[];
  return schema.$id === undefined && schema.anyOf ? schema.anyOf.flatMap(alternatives) : [schema];
}

function requiredOf(schema: SchemaNode): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
    isRequired(name, property, schema.required) ? [name] : [],
  );
}

/** A field with a default is always optional. */
function isRequired(name: string, property: SchemaNode, required: readonly string[] | undefined): boolean {
  return property.default === undefined && (required?.includes(name) ?? false);
}
