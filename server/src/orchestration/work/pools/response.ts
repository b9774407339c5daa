import type { ClientInfo } from '../../../context.ts';
import { jsonTextOf, parseObject } from '../../../json.ts';
import { addSeconds, type Timestamp } from '../../../time.ts';
import { isAtLeast } from '../../../versions.ts';
import type { WorkQueueWithPool } from '../queues/queue-queries.ts';
import { READY_SECONDS } from '../queues/queues.ts';
import { hasStatus, type WorkPoolNow } from './queries.ts';

/** A pool in the shape of `WorkPoolResponse`. Pools of agents have no status: agents send no heartbeats. */
export function workPoolResponse(pool: WorkPoolNow, client: ClientInfo) {
  return {
    ...pool,
    status: hasStatus(pool) ? pool.status_now : null,
    storage_configuration: storageFor(pool, client),
  };
}

/** Clients up to 3.3.7 refuse the key they do not know. Source: reference behaviour, "Work pools, queues, workers". */
function storageFor({ storage_configuration }: WorkPoolNow, { version }: ClientInfo) {
  if (version === undefined || isAtLeast(version, '3.3.8')) return storage_configuration;
  const { default_result_storage_block_id: _, ...known } = parseObject(storage_configuration);
  return jsonTextOf(known);
}

/** A queue in the shape of `WorkQueueResponse`. It stays ready only while somebody asks for its runs. */
export function workQueueResponse(queue: WorkQueueWithPool, now: Timestamp) {
  const wasPolled = queue.last_polled !== null && queue.last_polled >= addSeconds(now, -READY_SECONDS);
  return { ...queue, status: queue.status === 'READY' && !wasPolled ? 'NOT_READY' : queue.status };
}
