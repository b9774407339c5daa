import { addSeconds, type Timestamp } from '../../../values/time.ts';
import type { WorkQueueWithPool } from './queue-queries.ts';
import { READY_SECONDS } from './queues.ts';

/** A queue in the shape of `WorkQueueResponse`. It stays ready only while its polls continue. */
export function workQueueResponse(queue: WorkQueueWithPool, now: Timestamp) {
  const wasPolled = queue.last_polled !== null && queue.last_polled >= addSeconds(now, -READY_SECONDS);
  return { ...queue, status: queue.status === 'READY' && !wasPolled ? 'NOT_READY' : queue.status };
}
