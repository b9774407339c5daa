import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareOpenApi } from './openapi-comparison.ts';

const operation = (schema: string, ...names: string[]) => ({
  summary: 'Prose',
  parameters: names.map((name) => ({ in: 'query', name, schema: { type: 'string' } })),
  responses: { 200: { content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } } } },
});
const document = (paths: object, schemas: object) => ({ paths, components: { schemas } });

test('documents that differ in prose and in the order of parameters are equal', () => {
  const a = document(
    { '/flows/': { get: operation('Flow', 'x', 'y') } },
    { Flow: { title: 'Flow', required: ['a', 'b'] } },
  );
  const b = document({ '/api/flows/': { get: operation('Flow', 'y', 'x') } }, { Flow: { required: ['b', 'a'] } });
  assert.deepEqual([...compareOpenApi(a, b).compared.values()], [[], []]);
});

test('a property that is named like a word of prose is compared', () => {
  const schema = (type: string) => ({ Log: { properties: { description: { type } } } });
  const paths = { '/logs/': { get: operation('Log') } };
  const { compared } = compareOpenApi(document(paths, schema('string')), document(paths, schema('integer')));
  assert.deepEqual(compared.get('schema Log'), ['properties.description.type: "string" | "integer"']);
});

test('missing operations, and the schemas that only they need, are listed separately', () => {
  const reference = document(
    { '/flows/': { get: operation('Flow') }, '/pools/': { get: operation('Pool') } },
    { Flow: {}, Pool: { properties: { queue: { $ref: '#/components/schemas/Queue' } } }, Queue: {} },
  );
  const ours = document({ '/flows/': { get: operation('Flow') }, '/more/': { get: operation('Flow') } }, {});
  const { compared, missingOperations, missingSchemas, extraOperations } = compareOpenApi(reference, ours);
  assert.deepEqual(missingOperations, ['GET /pools/']);
  assert.deepEqual(missingSchemas, ['Pool', 'Queue']);
  assert.deepEqual(extraOperations, ['GET /more/']);
  assert.deepEqual(compared.get('schema Flow'), ['missing']);
});
