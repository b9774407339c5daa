/** Events about deployments. Source: those of the Prefect server 3.9.1; `deployments.test.ts` shows them. */
import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../../context.ts';
import type { Tx } from '../../database/store.ts';
import { type Resource, recordEvent } from '../../events/record.ts';
import { newTimeOrderedId } from '../../id.ts';
import { type JsonText, parseJson } from '../../json.ts';
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
  await record(context, tx, deployment, event, '{}' as JsonText);
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
  await record(context, tx, after, 'updated', payload);
}

function differs(column: Told, before: Deployment[Told], after: Deployment[Told]): boolean {
  if (before === after) return false;
  if (!jsonColumns.has(column) || before === null || after === null) return true;
  return !isDeepStrictEqual(parseJson(before as JsonText), parseJson(after as JsonText));
}

function jsonOf(column: Told, value: Deployment[Told] | undefined): string {
  return jsonColumns.has(column) ? String(value ?? null) : JSON.stringify(value ?? null);
}

async function record(
  context: Context,
  tx: Tx,
  deployment: Deployment,
  event: 'created' | 'updated' | 'deleted' | 'ready' | 'not-ready',
  payload: JsonText,
): Promise<void> {
  await recordEvent(context, tx, {
    id: newTimeOrderedId(),
    occurred: context.now,
    event: `prefect.deployment.${event}`,
    resource: {
      'prefect.resource.id': `prefect.deployment.${deployment.id}`,
      'prefect.resource.name': deployment.name,
    },
    related: relatedResources(deployment),
    payload,
    follows: null,
  });
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
  if (deployment.storage_document_id) related.push(document('storage', deployment.storage_document_id));
  if (deployment.infrastructure_document_id) {
    related.push(document('infrastructure', deployment.infrastructure_document_id));
  }
  if (limit_id) {
    related.push({
      'prefect.resource.id': `prefect.concurrency-limit.${limit_id}`,
      'prefect.resource.role': 'concurrency-limit',
    });
  }
  return related;
}

function document(role: string, id: string): Resource {
  return { 'prefect.resource.id': `prefect.block-document.${id}`, 'prefect.resource.role': role };
}

function resource(role: string, id: string, name: string): Resource {
  return {
    'prefect.resource.id': `prefect.${role}.${id}`,
    'prefect.resource.name': name,
    'prefect.resource.role': role,
  };
}
