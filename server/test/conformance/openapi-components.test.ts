import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import * as events from '../../src/events/schema.ts';
import { componentsOf, HTTPValidationError, type JsonSchema } from '../../src/http/documents/openapi.ts';
import * as admin from '../../src/orchestration/admin/schema.ts';
import * as settings from '../../src/orchestration/admin/settings-schema.ts';
import * as artifacts from '../../src/orchestration/artifacts/schema.ts';
import * as schedules from '../../src/orchestration/deployments/schedules/schema.ts';
import * as deployments from '../../src/orchestration/deployments/schema.ts';
import * as flows from '../../src/orchestration/flows/schema.ts';
import * as logs from '../../src/orchestration/logs/schema.ts';
import * as flowRuns from '../../src/orchestration/runs/flow-runs/schema.ts';
import * as graphs from '../../src/orchestration/runs/graph/graph-schema.ts';
import * as states from '../../src/orchestration/runs/rows/state-schema.ts';
import * as taskRuns from '../../src/orchestration/runs/task-runs/schema.ts';
import * as savedSearches from '../../src/orchestration/saved-searches/schema.ts';
import * as variables from '../../src/orchestration/variables/schema.ts';
import * as workPools from '../../src/orchestration/work/schema.ts';
import type { TSchema } from '../../src/schema/kinds.ts';
import { differences, simplified } from './openapi-equivalence.ts';

/** The structure of the document that the reference server 3.9.1 serves, without its prose. */
const reference = JSON.parse(readFileSync(new URL('fixtures/reference-openapi.json', import.meta.url), 'utf8')) as {
  paths: Record<string, unknown>;
  components: { schemas: Record<string, JsonSchema> };
};

/** Resources whose routes are served; each brings the components that its routes mention. */
const resources = [
  'flows',
  'flow_runs',
  'flow_run_states',
  'task_runs',
  'task_run_states',
  'logs',
  'artifacts',
  'variables',
  'saved_searches',
  'deployments',
  'events',
  'admin',
  'csrf-token',
  'health',
  'ready',
  'version',
  'hello',
];

const modules = [
  events,
  admin,
  settings,
  artifacts,
  schedules,
  deployments,
  graphs,
  flowRuns,
  flows,
  logs,
  savedSearches,
  states,
  taskRuns,
  variables,
  workPools,
];

const ours = componentsOf([HTTPValidationError, ...modules.flatMap(schemasIn)]);
const wanted = reachableFrom(
  Object.entries(reference.paths).filter(([path]) => resources.includes(path.split('/')[1] ?? '')),
);

describe('the shapes of requests and answers', () => {
  test('every shape that the routes of the reference mention exists', () => {
    assert.deepEqual([...wanted].filter((name) => !ours[name]).sort(), []);
  });

  test('every shape has a name that the reference knows', () => {
    assert.deepEqual(
      Object.keys(ours).filter((name) => !reference.components.schemas[name]),
      [],
    );
  });

  for (const [name, component] of Object.entries(ours)) {
    test(`${name} has the structure that the reference documents`, () => {
      const theirs = reference.components.schemas[name] ?? {};
      assert.deepEqual(comparable(component, name), comparable(theirs, name));
      assert.deepEqual(propertyNames(component), propertyNames(theirs), 'the order is that of validation issues');
    });
  }

  for (const [place, reason] of Object.entries(differences)) {
    test(`${place} differs: ${reason}`, () => {
      const [name = '', property = ''] = place.split('.');
      const { [name]: mine } = ours;
      const theirs = reference.components.schemas[name];
      assert.notDeepEqual(simplified(propertyOf(mine, property)), simplified(propertyOf(theirs, property)));
    });
  }
});

/** Schemas among the exports of a module, and in its table of bodies. */
function schemasIn(module: object): TSchema[] {
  return Object.values(module).flatMap((value) => {
    if (typeof value !== 'object' || value === null) return [];
    return isSchema(value) ? [value as TSchema] : Object.values(value).filter(isSchema);
  });
}

function isSchema(value: unknown): value is TSchema {
  return typeof value === 'object' && value !== null && ('type' in value || 'anyOf' in value || '$id' in value);
}

function reachableFrom(start: unknown): Set<string> {
  const names = new Set<string>();
  const visit = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return;
    const target = (value as { $ref?: unknown }).$ref;
    if (typeof target === 'string') {
      const name = target.slice(target.lastIndexOf('/') + 1);
      if (names.has(name)) return;
      names.add(name);
      visit(reference.components.schemas[name]);
    }
    for (const child of Object.values(value)) visit(child);
  };
  visit(start);
  return names;
}

function propertyOf(component: JsonSchema | undefined, property: string): unknown {
  return (component?.['properties'] as JsonSchema | undefined)?.[property];
}

function propertyNames(component: JsonSchema): string[] {
  return Object.keys(component['properties'] ?? {});
}

/** A component without the properties that are known to differ. */
function comparable(component: JsonSchema, name: string): unknown {
  const properties = Object.entries((component['properties'] ?? {}) as JsonSchema);
  const same = properties.filter(([property]) => !differences[`${name}.${property}`]);
  const { properties: _, ...rest } = component;
  return simplified(properties.length > 0 ? { ...rest, properties: Object.fromEntries(same) } : rest);
}
