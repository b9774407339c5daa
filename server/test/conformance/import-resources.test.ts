import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROUTES_WITHOUT_ROWS, resources, resourcesTable } from '../../src/process/import/resources.ts';
import { FILES } from '../../src/process/import/sources/folder-format.ts';
import { startServer } from '../support/server.ts';

/** Tables of a Prefect server 3.9.1: `sorted(orm_models.Base.metadata.tables)`. */
const TABLES = `agent artifact artifact_collection automation automation_bucket automation_event_follower
  automation_held_event automation_related_resource block_document block_document_reference block_schema
  block_schema_reference block_type composite_trigger_child_firing concurrency_limit concurrency_limit_v2 configuration
  csrf_token deployment deployment_schedule event_resources events flow flow_run flow_run_input flow_run_state log
  saved_search task_run task_run_state task_run_state_cache variable work_pool work_queue worker`.split(/\s+/);

test('the list of what an import brings names each table of the reference once', () => {
  const named = resources.flatMap(({ tables = [] }) => tables);
  assert.deepEqual([...named].sort(), [...TABLES].sort());
});

test('the list of what an import brings names each group of routes once', async () => {
  const server = await startServer();
  const { paths } = (await server.get('/openapi.json')).body as { paths: Record<string, unknown> };
  await server.stop();
  const groups = new Set(Object.keys(paths).map((path) => path.replace(/^\/api(?=\/)/, '').split('/')[1] ?? ''));
  const named = [...resources.flatMap(({ routes = [] }) => routes), ...ROUTES_WITHOUT_ROWS];
  assert.deepEqual([...named].sort(), [...groups].sort());
});

test('every kind that is exported comes', () => {
  const brought = resources
    .filter(({ comes }) => comes)
    .map(({ what }) => what)
    .join(' ');
  const words: Readonly<Record<string, string>> = {
    tag_concurrency_limits: 'concurrency limits',
    block_types: 'block types',
    block_schemas: 'schemas',
    block_documents: 'documents',
    work_queues: 'queues',
    artifact_keys: 'artifacts',
    flow_run_states: 'states',
    flow_run_inputs: 'inputs of unfinished flow runs',
    background_task_runs: 'task runs',
  };
  for (const kind of FILES) assert.ok(brought.includes(words[kind] ?? kind.replaceAll('_', ' ')), kind);
});

test('docs/migrating.md shows the list', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/migrating.md'), 'utf8');
  assert.ok(page.includes(resourcesTable()), 'run npm run docs');
});
