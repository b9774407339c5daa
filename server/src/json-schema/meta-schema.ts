/**
 * The schema of schemas, draft 2020-12, in one piece. Source: https://json-schema.org/draft/2020-12/schema and the
 * vocabularies it is made of.
 */
export const META_SCHEMA_ID = 'https://json-schema.org/draft/2020-12/schema';

const schema = { $ref: '#' };
const schemaArray = { type: 'array', minItems: 1, items: schema };
const schemas = { type: 'object', additionalProperties: schema };
const nonNegativeInteger = { type: 'integer', minimum: 0 };
const stringArray = { type: 'array', items: { type: 'string' }, uniqueItems: true };
const anchor = { type: 'string', pattern: '^[A-Za-z_][-A-Za-z0-9._]*$' };
const text = { type: 'string' };
const flag = { type: 'boolean' };
const number = { type: 'number' };
const simpleTypes = { enum: ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'] };

export const metaSchema: Readonly<Record<string, unknown>> = {
  type: ['object', 'boolean'],
  properties: {
    $id: { type: 'string', pattern: '^[^#]*#?$' },
    $schema: text,
    $ref: text,
    $anchor: anchor,
    $dynamicRef: text,
    $dynamicAnchor: anchor,
    $vocabulary: { type: 'object', propertyNames: text, additionalProperties: flag },
    $comment: text,
    $defs: schemas,
    prefixItems: schemaArray,
    items: schema,
    contains: schema,
    additionalProperties: schema,
    properties: schemas,
    patternProperties: { type: 'object', additionalProperties: schema, propertyNames: { format: 'regex' } },
    dependentSchemas: schemas,
    propertyNames: schema,
    if: schema,
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: schema,
    else: schema,
    allOf: schemaArray,
    anyOf: schemaArray,
    oneOf: schemaArray,
    not: schema,
    unevaluatedItems: schema,
    unevaluatedProperties: schema,
    type: { anyOf: [simpleTypes, { type: 'array', items: simpleTypes, minItems: 1, uniqueItems: true }] },
    const: true,
    enum: { type: 'array', items: true },
    multipleOf: { type: 'number', exclusiveMinimum: 0 },
    maximum: number,
    exclusiveMaximum: number,
    minimum: number,
    exclusiveMinimum: number,
    maxLength: nonNegativeInteger,
    minLength: nonNegativeInteger,
    pattern: { type: 'string', format: 'regex' },
    maxItems: nonNegativeInteger,
    minItems: nonNegativeInteger,
    uniqueItems: flag,
    maxContains: nonNegativeInteger,
    minContains: nonNegativeInteger,
    maxProperties: nonNegativeInteger,
    minProperties: nonNegativeInteger,
    required: stringArray,
    dependentRequired: { type: 'object', additionalProperties: stringArray },
    title: text,
    description: text,
    default: true,
    deprecated: flag,
    readOnly: flag,
    writeOnly: flag,
    examples: { type: 'array', items: true },
    format: text,
    contentEncoding: text,
    contentMediaType: text,
    contentSchema: schema,
    definitions: schemas,
    dependencies: { type: 'object', additionalProperties: { anyOf: [schema, stringArray] } },
    $recursiveAnchor: anchor,
    $recursiveRef: text,
  },
};
