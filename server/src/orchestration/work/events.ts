/**
 * Events about pools and queues. Source: the events of the Prefect server 3.9.1; `services/foreman.test.ts` shows them.
 */

import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../../context/context.ts';
import type { Tx } from '../../database/store.ts';
import type { Row } from '../../database/tables/tables.ts';
import { type Resource, recordEvent } from '../../events/record.ts';
import { relatedResource } from '../../events/record-change.ts';
import { newTimeOrderedId } from '../../values/id.ts';
import { type JsonText, parseJson, parseObject } from '../../values/json.ts';

type WorkPool = Row<'work_pool'>;
type WorkQueue = Row<'work_queue'>;

/** A stored status as the end of an event's name. */
const statusNames: Readonly<Record<string, string>> = { READY: 'ready', NOT_READY: 'not-ready', PAUSED: 'paused' };

const nothing = '{}' as JsonText;
const toldOfPools = ['description', 'base_job_template', 'concurrency_limit', 'storage_configuration'] as const;
const toldOfQueues = ['name', 'description', 'concurrency_limit', 'priority'] as const;
const jsonColumns: ReadonlySet<string> = new Set(['base_job_template', 'storage_configuration']);

export async function recordPoolEvent(
  context: Context,
  tx: Tx,
  pool: WorkPool,
  event: 'created' | 'deleted',
): Promise<void> {
  await record(context, tx, `prefect.work-pool.${event}`, poolResource(pool), parts(pool, event), nothing);
}

/** Records an event with the changed columns of the pool, if any. Its status has an event of its own. */
export async function recordPoolUpdate(context: Context, tx: Tx, before: WorkPool, after: WorkPool): Promise<void> {
  const payload = changes(toldOfPools, before, after);
  if (payload) await record(context, tx, 'prefect.work-pool.updated', poolResource(after), [], payload);
}

/** Records the pool's status. Returns the event's id, which the next status event follows. */
export async function recordPoolStatus(
  context: Context,
  tx: Tx,
  pool: WorkPool,
  follows: string | null,
): Promise<string> {
  const { 'prefect.resource.role': _, ...resource } = poolResource(pool);
  return record(context, tx, `prefect.work-pool.${statusNames[pool.status]}`, resource, [], nothing, follows);
}

export async function recordQueueEvent(
  context: Context,
  tx: Tx,
  pool: WorkPool,
  queue: WorkQueue,
  event: 'created' | 'deleted',
): Promise<void> {
  await record(context, tx, `prefect.work-queue.${event}`, queueResource(queue), [poolResource(pool)], nothing);
}

export async function recordQueueUpdate(
  context: Context,
  tx: Tx,
  pool: WorkPool,
  before: WorkQueue,
  after: WorkQueue,
): Promise<void> {
  const payload = changes(toldOfQueues, before, after);
  if (payload)
    await record(context, tx, 'prefect.work-queue.updated', queueResource(after), [poolResource(pool)], payload);
}

export async function recordQueueStatus(context: Context, tx: Tx, pool: WorkPool, queue: WorkQueue): Promise<void> {
  const event = `prefect.work-queue.${statusNames[queue.status]}`;
  await record(context, tx, event, queueResource(queue), [poolResource(pool)], nothing);
}

function changes<Table extends object>(
  told: readonly (keyof Table & string)[],
  before: Table,
  after: Table,
): JsonText | undefined {
  const changed = told.filter((column) => differs(column, before[column], after[column]));
  if (changed.length === 0) return undefined;
  const updates = changed.map(
    (column) => `"${column}":{"from":${jsonOf(column, before[column])},"to":${jsonOf(column, after[column])}}`,
  );
  return `{"updated_fields":${JSON.stringify(changed)},"updates":{${updates.join()}}}` as JsonText;
}

function differs(column: string, before: unknown, after: unknown): boolean {
  if (before === after) return false;
  return !jsonColumns.has(column) || !isDeepStrictEqual(parseJson(String(before)), parseJson(String(after)));
}

function jsonOf(column: string, value: unknown): string {
  return jsonColumns.has(column) ? String(value) : JSON.stringify(value ?? null);
}

async function record(
  context: Context,
  tx: Tx,
  event: string,
  resource: Resource,
  related: Resource[],
  payload: JsonText,
  follows: string | null = null,
): Promise<string> {
  const id = newTimeOrderedId();
  await recordEvent(context, tx, { id, occurred: context.now, event, resource, related, payload, follows });
  return id;
}

/** The default queue; after a deletion also the storage of results. */
function parts(pool: WorkPool, event: 'created' | 'deleted'): Resource[] {
  const storage = parseObject(pool.storage_configuration)['default_result_storage_block_id'];
  const related: Resource[] = [];
  if (pool.default_queue_id) related.push(relatedResource('work-queue', pool.default_queue_id, 'default-queue'));
  if (event === 'deleted' && typeof storage === 'string')
    related.push(relatedResource('block-document', storage, 'result-storage'));
  return related;
}

function poolResource(pool: WorkPool) {
  return {
    'prefect.resource.id': `prefect.work-pool.${pool.id}`,
    'prefect.resource.name': pool.name,
    'prefect.work-pool.type': pool.type,
    'prefect.resource.role': 'work-pool',
  };
}

function queueResource(queue: WorkQueue): Resource {
  return {
    'prefect.resource.id': `prefect.work-queue.${queue.id}`,
    'prefect.resource.name': queue.name,
    'prefect.resource.role': 'work-queue',
  };
}
