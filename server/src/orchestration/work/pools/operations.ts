/** Changes of work pools. Source: the routes `/work_pools/` of the Prefect server 3.9.1. */
import type { Context } from '../../../context/context.ts';
import type { Tx } from '../../../database/store.ts';
import { Conflict, Forbidden, found, IntegrityConflict, Unprocessable } from '../../../errors.ts';
import { compileEncoder } from '../../../schema/encode.ts';
import { idNamedBy, newId } from '../../../values/id.ts';
import { type JsonText, parseObject } from '../../../values/json.ts';
import { secondsBetween, type Timestamp, timestampFromMicroseconds } from '../../../values/time.ts';
import { blockDocuments } from '../../blocks/documents/queries.ts';
import { readBlockDocument } from '../../blocks/documents/read.ts';
import { missingPool, type WorkPoolRow, workPools } from '../../lookups/work-pools.ts';
import { blocksOfTemplate, templateDefaultsFault } from '../../parameters/job-template.ts';
import { recordPoolEvent, recordPoolStatus, recordPoolUpdate, recordQueueEvent } from '../events.ts';
import { forgetQueue, queuesOfPool } from '../queues/queue-queries.ts';
import { addQueue } from '../queues/queues.ts';
import type { WorkPoolCreate, WorkPoolUpdate } from '../request-schema.ts';
import { WorkPoolStorageConfiguration } from '../schema.ts';
import { hasStatus, type WorkPoolNow, workPoolNow } from './queries.ts';

/** Largest age of a status event that the next one follows. */
const FOLLOWS_SECONDS = 600;

const encodeStorage = compileEncoder(WorkPoolStorageConfiguration) as (
  configuration: WorkPoolStorageConfiguration,
) => JsonText;

const isReserved = (name: string) => name.toLowerCase().startsWith('prefect');

/**
 * Creates a pool with its default queue. `tellsStatus` is false for a caller that makes the pool ready at once: then no
 * event reports that it is not ready. Throws Forbidden for a reserved name, Unprocessable for a template whose defaults
 * do not fit, NotFound for a missing block document, Conflict for a name that is taken.
 */
export async function createWorkPool(
  context: Context,
  input: WorkPoolCreate,
  { tellsStatus }: { readonly tellsStatus: boolean } = { tellsStatus: true },
): Promise<WorkPoolNow> {
  if (isReserved(input.name)) {
    throw new Forbidden("Work pools starting with 'Prefect' are reserved for internal use.");
  }
  if (input.base_job_template) await checkTemplateDefaults(context, input.base_job_template);
  return context.transaction(async (tx) => {
    const pool = await addPool(context, tx, input);
    if (!pool) throw new Conflict('A work pool with this name already exists.');
    if (tellsStatus) await recordPoolStatus(context, tx, pool, null);
    return foundNow(tx, pool.name, context.now);
  });
}

async function checkTemplateDefaults(context: Context, template: JsonText): Promise<void> {
  const contents = new Map<unknown, unknown>();
  for (const id of new Set(blocksOfTemplate(template))) {
    const row = typeof id === 'string' ? await blockDocuments.first(context.db, { id: idNamedBy(id) }) : undefined;
    const document = await readBlockDocument(context, context.db, found(row, 'Block not found.'), false);
    contents.set(id, parseObject(document.data));
  }
  const fault = templateDefaultsFault(template, contents);
  if (fault) throw new Unprocessable(fault);
}

/** Adds a pool and its default queue, and records both events. Undefined when the name is taken. */
export async function addPool(context: Context, tx: Tx, input: WorkPoolCreate): Promise<WorkPoolRow | undefined> {
  const default_queue_id = newId();
  const pool = await workPools.insertUnlessThere(tx, {
    id: newId(),
    created: context.now,
    updated: context.now,
    name: input.name,
    description: input.description ?? null,
    type: input.type,
    base_job_template: input.base_job_template ?? ('{}' as JsonText),
    is_paused: input.is_paused,
    default_queue_id,
    concurrency_limit: input.concurrency_limit ?? null,
    storage_configuration: encodeStorage(input.storage_configuration ?? {}),
    status: input.is_paused && hasStatus(input) ? 'PAUSED' : 'NOT_READY',
    last_status_event_id: null,
  });
  if (!pool) return undefined;
  const description = "The work pool's default queue.";
  await addQueue(context, tx, pool, { id: default_queue_id, name: 'default', description, priority: 1 });
  await recordPoolEvent(context, tx, pool, 'created');
  return pool;
}

/** Changes the given fields. Throws Forbidden for a reserved pool, NotFound, IntegrityConflict for null. */
export function updateWorkPool(context: Context, name: string, input: WorkPoolUpdate): Promise<void> {
  const harmless = new Set(['is_paused', 'concurrency_limit']);
  if (isReserved(name) && Object.keys(input).some((field) => !harmless.has(field))) {
    throw new Forbidden(
      "Work pools starting with 'Prefect' are reserved for internal use and can only be updated to set concurrency limits or pause.",
    );
  }
  return context.transaction(async (tx) => {
    const before = await poolForChange(tx, name, context.now);
    const change = { ...changeOf(input), updated: context.now };
    const after = found(await workPools.change(tx, { id: before.id }, change), missingPool(name));
    if (input.is_paused !== undefined && hasStatus(after)) {
      const { status_now } = await foundNow(tx, name, context.now);
      await tellPoolStatus(context, tx, after, status_now);
    }
    await recordPoolUpdate(context, tx, before, after);
  });
}

function changeOf({ storage_configuration, is_paused, base_job_template, ...plain }: WorkPoolUpdate) {
  if (is_paused === null || base_job_template === null || storage_configuration === null) throw new IntegrityConflict();
  const storage = storage_configuration && encodeStorage(storage_configuration);
  return { ...plain, is_paused, base_job_template, storage_configuration: storage };
}

/** Stores a new status of the pool and records it; does nothing when the pool has that status. */
export async function setPoolStatus(context: Context, tx: Tx, pool: WorkPoolRow, status: string): Promise<void> {
  if (pool.status !== status) await tellPoolStatus(context, tx, pool, status);
}

/** Records the status even when it is unchanged: each pause and each resumption has an event. */
async function tellPoolStatus(context: Context, tx: Tx, pool: WorkPoolRow, status: string): Promise<void> {
  const last = pool.last_status_event_id;
  const follows = last && secondsBetween(timeOf(last), context.now) <= FOLLOWS_SECONDS ? last : null;
  const last_status_event_id = await recordPoolStatus(context, tx, { ...pool, status }, follows);
  await workPools.changeAll(tx, { id: pool.id }, { status, last_status_event_id, updated: context.now });
}

/** The time in a time-ordered id, to the millisecond. */
function timeOf(id: string): Timestamp {
  return timestampFromMicroseconds(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) * 1000);
}

/** Deletes a pool with its queues and workers; deployments and runs stay without a queue. */
export function deleteWorkPool(context: Context, name: string): Promise<void> {
  if (isReserved(name)) {
    throw new Forbidden("Work pools starting with 'Prefect' are reserved for internal use and can not be deleted.");
  }
  return context.transaction(async (tx) => {
    const pool = await poolForChange(tx, name, context.now);
    for (const queue of await tx.all(queuesOfPool, { work_pool_id: pool.id })) {
      await forgetQueue(tx, queue.id);
      await recordQueueEvent(context, tx, pool, queue, 'deleted');
    }
    await workPools.removeAll(tx, { id: pool.id });
    await recordPoolEvent(context, tx, pool, 'deleted');
  });
}

/** Reads a pool and locks it until the transaction ends. Throws NotFound. */
async function poolForChange(tx: Tx, name: string, now: Timestamp): Promise<WorkPoolNow> {
  const known = await workPools.first(tx, { name });
  if (known) await tx.lock('work_pool', known.id);
  return foundNow(tx, name, now);
}

async function foundNow(tx: Tx, name: string, now: Timestamp): Promise<WorkPoolNow> {
  return found(await tx.first(workPoolNow, { name, now }), missingPool(name));
}
