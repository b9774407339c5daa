import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { jsonTextOf } from '../../values/json.ts';
import { parameterSchemaFault, type ValidationOptions, validateParameters } from './parameter-schema.ts';

function refusal(schema: object, values: object, options?: ValidationOptions): string | undefined {
  return validateParameters(jsonTextOf(schema), jsonTextOf(values), options)?.message;
}

const properties = (fields: object) => ({ type: 'object', properties: fields });

// The messages are answers of the Prefect server to create_flow_run and to a changed deployment.
describe('parameters against their schema', () => {
  test('are refused with the field and the reason', () => {
    const schema = {
      ...properties({ a: { type: 'object', properties: { b: { type: 'integer' } } } }),
      required: ['x'],
    };
    assert.equal(refusal(schema, {}), "Validation failed. Failure reason: 'x' is a required property");
    assert.equal(
      refusal(schema, { x: 1, a: { b: 'q' } }),
      "Validation failed for field 'a.b'. Failure reason: 'q' is not valid under any of the given schemas",
    );
    assert.equal(
      refusal(properties({ 'my-key': { type: 'integer', default: 1 } }), { 'my-key': 'x' }),
      `Validation failed for field "$['my-key']". Failure reason: 'x' is not of type 'integer'`,
    );
  });

  test('may be null where they are optional and have no default', () => {
    const fields = { plain: { type: 'integer' }, filled: { type: 'integer', default: 1 }, chosen: { enum: [1] } };
    const schema = { ...properties(fields), required: [] };
    assert.equal(refusal(schema, { plain: null }), undefined);
    assert.match(refusal(schema, { filled: null }) ?? '', /None is not of type 'integer'/);
    assert.match(refusal(schema, { chosen: null }) ?? '', /None is not one of \[1\]/);
    assert.match(refusal({ ...schema, required: ['plain'] }, { plain: null }) ?? '', /None is not of type/);
    assert.match(refusal(schema, { plain: null }, { prepare: false }) ?? '', /None is not of type/);
  });

  test('may be references where a block is expected', () => {
    const block = { type: 'object', properties: { c: { type: 'integer' } }, required: ['c'], block_type_slug: 's' };
    const schema = { ...properties({ a: { $ref: '#/definitions/A' } }), definitions: { A: block } };
    assert.equal(refusal(schema, { a: { c: 1 } }), undefined);
    assert.equal(refusal(schema, { a: { $ref: 'b2a2bfe3-0dfb-4b49-aab3-153d34e960b0' } }), undefined);
    assert.equal(refusal(schema, { a: { $ref: { block_document_id: 'x' } } }), undefined);
    assert.equal(
      refusal(schema, { a: { $ref: { block_document_id: 5 } } }),
      `Validation failed for field "a['$ref'].block_document_id". Failure reason: 5 is not of type 'string'`,
    );
  });

  test('are checked position by position where items are a list', () => {
    const schema = properties({ a: { type: 'array', items: [{ type: 'integer' }, { type: 'string' }] } });
    assert.equal(
      refusal(schema, { a: [1, 2] }),
      "Validation failed for field 'a[1]'. Failure reason: 2 is not of type 'string'",
    );
  });

  test('may be missing in a partial check', () => {
    const nested = { type: 'object', properties: { b: { type: 'integer' } }, required: ['b'] };
    const schema = { ...properties({ a: nested, required: { type: 'string' } }), required: ['a', 'x'] };
    assert.equal(refusal(schema, { a: {} }, { ignoreRequired: true }), undefined);
    assert.match(refusal(schema, { a: { b: null } }, { ignoreRequired: true }) ?? '', /for field 'a\.b'/);
    const union = properties({ a: { anyOf: [nested] } });
    assert.match(refusal(union, { a: {} }, { ignoreRequired: true }) ?? '', /'b' is a required property/);
  });

  test('get an error about the schema when the schema is circular', () => {
    const verdict = validateParameters(jsonTextOf({ $ref: '#' }), jsonTextOf({}));
    assert.deepEqual(verdict, {
      kind: 'schema',
      message: 'Invalid schema: Unable to validate schema with circular references.',
    });
    assert.equal(
      refusal({ $ref: '#/definitions/Z' }, {}),
      "Validation failed. Failure reason: PointerToNowhere: '/definitions/Z' does not exist within {'$ref': '#/definitions/Z'}",
    );
  });

  test('cause no server error, for any schema', () => {
    for (const schema of [
      { properties: null },
      { properties: { a: 5, b: true } },
      { definitions: null },
      { definitions: { A: 5 } },
      { type: 5, required: 'a', enum: 5, anyOf: 5, pattern: 5, $ref: 5 },
      { properties: { __proto__: { type: 'integer' }, constructor: { type: 'integer', default: 1 } } },
    ]) {
      assert.equal(refusal(schema, { a: 1, b: 2 }), undefined, JSON.stringify(schema));
    }
  });

  test('an invalid schema gets its own error', () => {
    assert.equal(parameterSchemaFault(jsonTextOf({ type: 'object' })), undefined);
    assert.equal(parameterSchemaFault(jsonTextOf({ required: 5 })), "5 is not of type 'array'");
  });
});
