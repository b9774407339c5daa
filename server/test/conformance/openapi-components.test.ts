import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import * as events from '../../src/events/schema.ts';
import { componentsOf, HTTPValidationError, type JsonSchema } from '../../src/http/openapi.ts';
import * as admin from '../../src/orchestration/admin/schema.ts';
import * as settings from '../../src/orchestration/admin/settings-schema.ts';
import * as artifacts from '../../src/orchestration/artifacts/schema.ts';
import * as schedules from '../../src/orchestration/deployments/schedule-schema.ts';
import * as deployments from '../../src/orchestration/deployments/schema.ts';
import * as graphs from '../../src/orchestration/flow-runs/graph-schema.ts';
import * as flowRuns from '../../src/orchestration/flow-runs/schema.ts';
import * as flows from '../../src/orchestration/flows/schema.ts';
import * as logs from '../../src/orchestration/logs/schema.ts';
import * as savedSearches from '../../src/orchestration/saved-searches/schema.ts';
import * as states from '../../src/orchestration/states/schema.ts';
import * as taskRuns from '../../src/orchestration/task-runs/schema.ts';
import * as variables from '../../src/orchestration/variables/schema.ts';
import * as workPools from '../../src/orchestration/work-pools/schema.ts';
import type { TSchema } from '../../src/schema/kinds.ts';

/** The structure of the document that the reference server 3.8.8 serves, without its prose. */
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

/** Where our document says something else than the reference's, and why. */
const differences: Readonly<Record<string, string>> = {
  'FlowRunCreate.name': 'null is taken, by the reference too, and we say so',
  'TaskRunCreate.name': 'null is taken, by the reference too, and we say so',
  'TaskRunUpdate.name': 'null is taken, by the reference too, and we say so',
  'DeploymentFlowRunCreate.name': 'null is taken, by the reference too, and we say so',
  'RRuleSchedule.timezone': 'the reference lists the time zones of the machine it ran on as a pattern',
  'APISettings.ssl_cert_file': 'the default is a file of the machine it ran on',
};

const ours = componentsOf([HTTPValidationError, ...modules.flatMap(schemasIn)]);
const wanted = reachableFrom(
  Object.entries(reference.paths).filter(([path]) => resources.includes(path.split('/')[1] ?? '')),
);

describe('the shapes of requests and answers', () => {
  test('every shape that the routes of the reference mention is there', () => {
    assert.deepEqual([...wanted].filter((name) => !ours[name]).sort(), []);
  });

  test('no shape has a name that the reference does not know', () => {
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

/** Names of things for people, and the environment variables of the reference's own settings. */
const ignored = new Set(['title', 'description', 'examples', 'supported_environment_variables']);

/** One spelling for what means the same; a property may be called like a keyword, so the two are told apart. */
function simplified(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(simplified);
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).filter(([keyword]) => !ignored.has(keyword));
  const result: Record<string, unknown> = {};
  for (const [keyword, value] of entries) {
    if (keyword === 'properties') {
      const properties = Object.entries(value as JsonSchema);
      result[keyword] = Object.fromEntries(properties.map(([name, property]) => [name, simplified(property)]));
    } else if (keyword === 'required') {
      if ((value as string[]).length > 0) result[keyword] = [...(value as string[])].sort();
    } else {
      result[keyword] = keyword === 'default' ? value : simplified(value);
    }
  }
  const branches = result['anyOf'] as JsonSchema[] | undefined;
  // Says nothing that the branch for objects does not say.
  if (branches && result['additionalProperties'] === true) delete result['additionalProperties'];
  if (branches && takesAnything(branches)) delete result['anyOf'];
  return result;
}

function takesAnything(branches: readonly JsonSchema[]): boolean {
  if (branches.some((branch) => Object.keys(branch).length === 0)) return true;
  const types = new Set(branches.filter(isWholeType).map((branch) => branch['type']));
  return ['string', 'number', 'boolean', 'object', 'array', 'null'].every((type) => types.has(type));
}

/** All texts, all numbers, all objects: nothing but the type is said. */
function isWholeType(branch: JsonSchema): boolean {
  const { type, additionalProperties, items, ...more } = branch;
  const isOpen = additionalProperties === undefined || additionalProperties === true;
  return isOpen && Object.keys(items ?? {}).length === 0 && Object.keys(more).length === 0;
}
