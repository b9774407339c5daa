/** Events about deployments. Source: those of the Prefect server 3.9.1; `deployments.test.ts` shows them. */
import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../../context/context.ts';
import type { Tx } from '../../database/store.ts';
import type { Resource } from '../../events/record.ts';
import { recordChange, relatedResource } from '../../events/record-change.ts';
import { type JsonText, parseJson } from '../../values/json.ts';
import type { Deployment } from './queries.ts';

/** Columns whose changes an event reports, with their names in the event. */
const told = {
  paused: 'paused',
  version: 'version',
  description: 'description',
  job_variables: 'infra_overrides',
  parameters: 'parameters',
  pull_steps: 'pull_steps',
  tags: 'tags',
  labels: 'labels',
  entrypoint: 'entrypoint',
  path: 'path',
  enforce_parameter_schema: 'enforce_parameter_schema',
  parameter_openapi_schema: 'parameter_openapi_schema',
  concurrency_limit_id: 'concurrency_limit_id',
  concurrency_options: 'concurrency_options',
  work_queue_id: 'work_queue_id',
  storage_document_id: 'storage_document_id',
  infrastructure_document_id: 'infrastructure_document_id',
} as const satisfies Partial<Record<keyof Deployment, string>>;

type Told = keyof typeof told;

const jsonColumns: ReadonlySet<Told> = new Set([
  'job_variables',
  'parameters',
  'pull_steps',
  'tags',
  'labels',
  'parameter_openapi_schema',
  'concurrency_options',
]);

export async function recordDeploymentEvent(
  context: Context,
  tx: Tx,
  deployment: Deployment,
  event: 'created' | 'deleted' | 'ready' | 'not-ready',
): Promise<void> {
  const related = relatedResources(deployment);
  await recordChange(context, tx, 'deployment', event, deployment, '{}' as JsonText, related);
}

/** Records an event with the columns that changed; records none when they are all the same. */
export async function recordDeploymentUpdate(
  context: Context,
  tx: Tx,
  before: Deployment,
  after: Deployment,
): Promise<void> {
  const changed = (Object.keys(told) as Told[]).filter((column) => differs(column, before[column], after[column]));
  if (changed.length === 0) return;
  const updates = changed.map((column) => {
    const [from, to] = [before[column], after[column]].map((value) => jsonOf(column, value));
    return `"${told[column]}":{"from":${from},"to":${to}}`;
  });
  const fields = JSON.stringify(changed.map((column) => told[column]));
  const payload = `{"updated_fields":${fields},"updates":{${updates.join()}}}` as JsonText;
  await recordChange(context, tx, 'deployment', 'updated', after, payload, relatedResources(after));
}

function differs(column: Told, before: Deployment[Told], after: Deployment[Told]): boolean {
  if (before === after) return false;
  if (!jsonColumns.has(column) || before === null || after === null) return true;
  return !isDeepStrictEqual(parseJson(before as JsonText), parseJson(after as JsonText));
}

function jsonOf(column: Told, value: Deployment[Told] | undefined): string {
  return jsonColumns.has(column) ? String(value ?? null) : JSON.stringify(value ?? null);
}

function relatedResources(deployment: Deployment): Resource[] {
  const { queue_id, work_pool_id, limit_id } = deployment;
  const related: Resource[] = [resource('flow', deployment.flow_id, deployment.flow_name)];
  if (queue_id) related.push(resource('work-queue', queue_id, deployment.queue_name ?? ''));
  if (work_pool_id) {
    related.push({
      ...resource('work-pool', work_pool_id, deployment.work_pool_name ?? ''),
      'prefect.work-pool.type': deployment.work_pool_type ?? '',
    });
  }
  const { storage_document_id: storage, infrastructure_document_id: infrastructure } = deployment;
  if (storage) related.push(relatedResource('block-document', storage, 'storage'));
  if (infrastructure) related.push(relatedResource('block-document', infrastructure, 'infrastructure'));
  if (limit_id) related.push(relatedResource('concurrency-limit', limit_id));
  return related;
}

function resource(role: string, id: string, name: string): Resource {
  return {
    'prefect.resource.id': `prefect.${role}.${id}`,
    'prefect.resource.name': name,
    'prefect.resource.role': role,
  };
}
