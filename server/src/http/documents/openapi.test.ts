import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { Flow, FlowCreate, FlowUpdate, flowBodies } from '../../orchestration/flows/schema.ts';
import { flowRunBodies } from '../../orchestration/runs/flow-runs/schema.ts';
import { Graph, graphQuery } from '../../orchestration/runs/graph/graph-schema.ts';
import { lazy, Shape, Type, withDefault } from '../../schema/kinds.ts';
import { componentsOf, type DescribedRoute, openApiDocument, schemaReference } from './openapi.ts';

const reference = JSON.parse(
  readFileSync(new URL('../../../test/conformance/fixtures/reference-openapi.json', import.meta.url), 'utf8'),
) as { paths: Record<string, Record<string, unknown>> };

const id = { id: 'uuid' } as const;
const routes: readonly DescribedRoute[] = [
  {
    method: 'POST',
    path: '/flows/',
    operationId: 'create_flow_flows__post',
    tags: ['Flows'],
    body: FlowCreate,
    responses: { 200: Flow },
  },
  {
    method: 'PATCH',
    path: '/flows/{id}',
    operationId: 'update_flow_flows__id__patch',
    tags: ['Flows'],
    parameters: id,
    body: FlowUpdate,
    responses: { 204: null },
  },
  {
    method: 'POST',
    path: '/flows/count',
    operationId: 'count_flows_flows_count_post',
    tags: ['Flows'],
    body: flowBodies.count,
    responses: { 200: Type.Integer() },
  },
  {
    method: 'GET',
    path: '/flow_runs/{id}/graph-v2',
    operationId: 'read_flow_run_graph_v2_flow_runs__id__graph_v2_get',
    tags: ['Flow Runs', 'Flow Run Graph'],
    parameters: id,
    query: graphQuery,
    responses: { 200: Graph },
  },
  {
    method: 'PATCH',
    path: '/flow_runs/{id}/labels',
    operationId: 'update_flow_run_labels_flow_runs__id__labels_patch',
    tags: ['Flow Runs'],
    parameters: id,
    body: flowRunBodies.labels,
    responses: { 204: null },
  },
  {
    method: 'GET',
    path: '/health',
    anyApiVersion: true,
    operationId: 'health_check_health_get',
    tags: ['Root'],
    responses: { 200: Type.Boolean() },
  },
];

describe('the OpenAPI document', () => {
  const document = openApiDocument(routes, { title: 'Signalbox', version: '0.1.0' }) as {
    paths: typeof reference.paths;
    components: { schemas: Record<string, unknown> };
  };

  for (const { method, path } of routes) {
    test(`describes ${method} ${path} as the reference does`, () => {
      const operation = method.toLowerCase();
      assert.deepEqual(
        withoutProse(document.paths[path]?.[operation]),
        withoutProse(reference.paths[path]?.[operation]),
      );
    });
  }

  test('defines every shape it mentions', () => {
    const mentioned = [...JSON.stringify(document).matchAll(/#\/components\/schemas\/([^"]+)/g)].map(
      ([, name]) => name!,
    );
    assert.deepEqual(
      mentioned.filter((name) => !document.components.schemas[name]),
      [],
    );
  });
});

describe('a schema', () => {
  test('is referenced by name, with the default of the place that uses it', () => {
    const Color = Shape('Color', { name: Type.String() });
    assert.deepEqual(schemaReference(withDefault(Color, { name: 'red' })), {
      $ref: '#/components/schemas/Color',
      default: { name: 'red' },
    });
    assert.equal('default' in componentsOf([withDefault(Color, { name: 'red' })])['Color']!, false);
  });

  test('may contain itself', () => {
    const Tree: ReturnType<typeof Shape> = Shape('Tree', { branches: Type.Array(lazy<unknown>(() => Tree)) });
    assert.deepEqual(componentsOf([Tree])['Tree'], {
      type: 'object',
      required: ['branches'],
      properties: { branches: { type: 'array', items: { $ref: '#/components/schemas/Tree' } } },
      additionalProperties: false,
    });
  });
});

function withoutProse(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutProse);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => key !== 'title' && key !== 'description');
  return Object.fromEntries(entries.map(([key, child]) => [key, withoutProse(child)]));
}
