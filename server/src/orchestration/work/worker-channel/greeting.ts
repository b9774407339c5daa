/** Accepts a worker on the channel of its pool. */
import { type Context, within } from '../../../context/context.ts';
import { Conflict, Forbidden, NotFound, Unprocessable } from '../../../errors.ts';
import { compileDecoder } from '../../../schema/decode.ts';
import { parseObject } from '../../../values/json.ts';
import { type WorkPoolRow, type WorkQueueRow, workPools } from '../../lookups/work-pools.ts';
import { createWorkPool, updateWorkPool } from '../pools/operations.ts';
import { type WorkPoolNow, workPoolNow } from '../pools/queries.ts';
import { queuesOfPool } from '../queues/queue-queries.ts';
import { WorkPoolCreate, WorkPoolUpdate } from '../request-schema.ts';
import { recordHeartbeat } from '../workers/workers.ts';
import {
  CHANNEL_VERSION,
  CLEANUP_DELIVERY,
  type CloseReason,
  REQUIRED_CAPABILITIES,
  type WorkerHello,
} from './schema.ts';

/** The agreement between server and worker. */
export interface Greeting {
  /** The pool, including the parts that the worker provided. */
  readonly pool: WorkPoolNow;
  readonly accepted: readonly string[];
  readonly rejected: readonly string[];
  /** Requests to clean up that the worker accepts at a time; 0 for none. */
  readonly cleanups: number;
  /** The queues that the worker requested, the most urgent first. */
  readonly queues: readonly WorkQueueRow[];
}

const decodeNewPool = compileDecoder(WorkPoolCreate, 'body');
const decodeChange = compileDecoder(WorkPoolUpdate, 'body');

/** Rolls back the transaction of a worker that is refused. */
class Refusal extends Error {
  readonly reason: CloseReason;

  constructor(reason: CloseReason) {
    super(reason);
    this.reason = reason;
  }
}

/**
 * Accepts a worker with its first heartbeat, or returns the reason for a refusal. A missing pool is created on the
 * worker's request; a pool without a template gets the worker's. All of it happens in one transaction: a refused worker
 * leaves nothing behind. Source: the socket `/work_pools/{work_pool_name}/workers/connect` of the Prefect server 3.9.1.
 */
export async function greetWorker(
  context: Context,
  poolName: string,
  hello: WorkerHello,
): Promise<Greeting | CloseReason> {
  if (!hello.supported_channel_versions.includes(CHANNEL_VERSION)) return 'unsupported_version';
  const capabilities = agreedCapabilities(hello);
  if (!capabilities) return 'protocol_error';
  try {
    return await context.transaction(async (tx) => ({
      ...capabilities,
      ...(await takeIn(within(context, tx), poolName, hello)),
    }));
  } catch (error) {
    if (error instanceof Refusal) return error.reason;
    throw error;
  }
}

/** Throws Refusal, and NotFound when the pool has been deleted in the meantime. */
async function takeIn(
  context: Context,
  poolName: string,
  hello: WorkerHello,
): Promise<Pick<Greeting, 'pool' | 'queues'>> {
  const { work_queue_names: names, worker_name: name, heartbeat_interval_seconds } = hello;
  const present = await workPools.first(context.db, { name: poolName });
  const queuesThere = present
    ? await context.db.all(queuesOfPool, { work_pool_id: present.id })
    : [{ name: 'default' }];
  if (names.some((asked) => !queuesThere.some(({ name }) => name === asked))) throw new Refusal('authorization_failed');
  await preparePool(context, poolName, present, hello);
  await recordHeartbeat(context, poolName, { name, heartbeat_interval_seconds });
  const pool = await context.db.first(workPoolNow, { name: poolName, now: context.now });
  if (!pool) throw new Refusal('authorization_failed');
  const all = await context.db.all(queuesOfPool, { work_pool_id: pool.id });
  return { pool, queues: names.length === 0 ? all : all.filter(({ name }) => names.includes(name)) };
}

/** Undefined when the worker contradicts itself or lacks a capability that a channel requires. */
function agreedCapabilities(hello: WorkerHello): Pick<Greeting, 'accepted' | 'rejected' | 'cleanups'> | undefined {
  const requested = new Set(hello.requested_capabilities);
  if (REQUIRED_CAPABILITIES.some((capability) => !requested.has(capability))) return undefined;
  const handlesKinds = hello.handled_cleanup_kinds.length > 0;
  const wantsCleanups = requested.has(CLEANUP_DELIVERY);
  if (!wantsCleanups && (handlesKinds || (hello.max_cleanup_concurrency ?? 0) > 0)) return undefined;
  const cleanups = wantsCleanups && handlesKinds ? (hello.max_cleanup_concurrency ?? 1) : 0;
  const accepted: string[] = [...REQUIRED_CAPABILITIES];
  if (cleanups > 0) accepted.push(CLEANUP_DELIVERY);
  return { accepted, rejected: [...requested].filter((capability) => !accepted.includes(capability)), cleanups };
}

async function preparePool(
  context: Context,
  name: string,
  pool: WorkPoolRow | undefined,
  hello: WorkerHello,
): Promise<void> {
  const template = parseObject(hello.default_base_job_template);
  const hasTemplate = Object.keys(template).length > 0;
  const base_job_template = hasTemplate ? { base_job_template: template } : {};
  if (pool) {
    if (!hasTemplate || Object.keys(parseObject(pool.base_job_template)).length > 0) return;
    const change = decodeChange(base_job_template);
    if (!change.ok) throw new Refusal('protocol_error');
    return orRefuse(() => updateWorkPool(context, name, change.value));
  }
  if (!hello.create_pool_if_not_found) throw new Refusal('authorization_failed');
  const wanted = decodeNewPool({ name, type: hello.worker_type, ...base_job_template });
  if (!wanted.ok) throw new Refusal('protocol_error');
  await orRefuse(async () => {
    try {
      // The worker's heartbeat makes it ready.
      await createWorkPool(context, wanted.value, { tellsStatus: false });
    } catch (error) {
      // Another worker created the pool first.
      if (!(error instanceof Conflict)) throw error;
    }
  });
}

async function orRefuse(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof Forbidden) throw new Refusal('authorization_failed');
    if (error instanceof Unprocessable || error instanceof NotFound) throw new Refusal('protocol_error');
    throw error;
  }
}
