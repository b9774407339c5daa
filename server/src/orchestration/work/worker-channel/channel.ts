/** The open channel of a worker: it receives heartbeats, and sends changes of the pool and requests to clean up. */

import type { Context } from '../../../context/context.ts';
import { NotFound } from '../../../errors.ts';
import { attempt, guarded } from '../../../watching/background.ts';
import { type WorkPoolNow, workPoolNow } from '../pools/queries.ts';
import { workPoolResponse } from '../pools/response.ts';
import { recordHeartbeat } from '../workers/workers.ts';
import { type CleanupOperation, operateCleanup, reserveCleanups } from './cleanups.ts';
import { writeFrame } from './frames.ts';
import { type Greeting, greetWorker } from './greeting.ts';
import {
  CHANNEL_VERSION,
  type CloseReason,
  type HeartbeatFrame,
  type HelloFrame,
  type OperationFrame,
} from './schema.ts';

/** Milliseconds between checks for requests whose holder vanished, or that another replica received. */
const LOOK_MILLISECONDS = 5000;

interface ChannelTarget {
  context(): Context;
  send(frame: string): void;
  close(reason: CloseReason): void;
}

/** The fields of a pool whose changes workers receive. */
type Told = Pick<WorkPoolNow, 'base_job_template' | 'concurrency_limit' | 'is_paused' | 'storage_configuration'>;

export class WorkerChannel {
  readonly #target: ChannelTarget;
  readonly #poolName: string;
  #hello: HelloFrame['payload'] | undefined;
  #greeting: Greeting | undefined;
  #told: Told | undefined;
  #sequence = 0;
  /** The requests that this worker has reserved, with the ends of the reservations. */
  readonly #reserved = new Map<string, string>();
  readonly #stops: (() => void)[] = [];
  #isClosed = false;
  #isLooking = false;
  /** The processing of received frames, one after the other. */
  #work: Promise<void> = Promise.resolve();

  constructor(target: ChannelTarget, poolName: string) {
    this.#target = target;
    this.#poolName = poolName;
  }

  get isOpen(): boolean {
    return this.#hello !== undefined;
  }

  greet(frame: HelloFrame): void {
    const hello = frame.payload;
    this.#hello = hello;
    this.#do('transient_server_error', async (context) => {
      const greeting = await greetWorker(context, this.#poolName, hello);
      if (typeof greeting === 'string') return this.#end(greeting);
      if (this.#isClosed) return;
      this.#greeting = greeting;
      const payload = {
        consumer_id: hello.consumer_id,
        worker_id: null,
        selected_channel_version: CHANNEL_VERSION,
        effective_heartbeat_interval_seconds: hello.heartbeat_interval_seconds,
        accepted_capabilities: greeting.accepted,
        rejected_capabilities: greeting.rejected,
        effective_max_cleanup_concurrency: greeting.cleanups,
        resolved_work_queues: greeting.queues,
        initial_snapshot: this.#snapshot(context, greeting.pool, 'initial'),
      };
      this.#target.send(writeFrame('worker.ready.v1', payload, context.now));
      this.#listen(context, greeting);
    });
  }

  /** A heartbeat of another worker than the one in the greeting is an error of the client. */
  heartbeat({ payload }: HeartbeatFrame): void {
    const hello = this.#hello;
    if (payload.consumer_id !== hello?.consumer_id || payload.worker_name !== hello.worker_name) {
      this.#end('protocol_error');
      return;
    }
    const { worker_name: name, heartbeat_interval_seconds } = payload;
    this.#do('heartbeat_persistence_failed', async (context) => {
      await recordHeartbeat(context, this.#poolName, { name, heartbeat_interval_seconds });
      await this.#tellChanges(context, 'heartbeat_reconciliation');
    });
  }

  operate({ id, type, payload }: OperationFrame): void {
    const { message_id, reservation_token: token } = payload;
    const operation = type.split('.')[1] as CleanupOperation;
    this.#do('transient_server_error', async (context) => {
      const greeting = this.#greeting;
      if (!greeting) return;
      const result =
        greeting.cleanups === 0
          ? { status: 'unauthorized', reason: 'cleanup_delivery_not_accepted' }
          : await operateCleanup(context, greeting.pool.id, operation, { id: message_id, token });
      const answer = { request_frame_id: id, message_id, operation, ...result };
      this.#target.send(writeFrame('cleanup.operation_result.v1', answer, context.now));
      if (this.#reserved.has(token)) {
        const until = 'lease_expires_at' in result ? result.lease_expires_at : null;
        if (until) this.#reserved.set(token, until);
        else this.#reserved.delete(token);
      }
      await this.#deliver(context);
    });
  }

  settled(): Promise<void> {
    return this.#work;
  }

  close(): void {
    this.#isClosed = true;
    for (const stop of this.#stops.splice(0)) stop();
  }

  #listen(context: Context, { pool: { id: poolId }, cleanups }: Greeting): void {
    const resource = `prefect.work-pool.${poolId}`;
    const failed = () => this.#end('transient_server_error');
    const { hub } = context.server;
    const reader = { caller: context.caller, end: failed };
    this.#stops.push(
      hub.hear(
        'events',
        context.workspace,
        ({ resource_id }) => {
          if (resource_id === resource) this.#look();
        },
        reader,
      ),
    );
    if (cleanups === 0) return;
    const deliver = () => this.#do('transient_server_error', (context) => this.#deliver(context));
    this.#stops.push(
      hub.hear(
        'cleanups',
        context.workspace,
        ({ work_pool_id }) => {
          if (work_pool_id === poolId) deliver();
        },
        reader,
      ),
    );
    const timer = setInterval(guarded('a check of clean-ups', deliver, failed), LOOK_MILLISECONDS);
    timer.unref();
    this.#stops.push(() => clearInterval(timer));
    deliver();
  }

  /** Changes that come before the pool is read share one message. */
  #look(): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#do('transient_server_error', async (context) => {
      this.#isLooking = false;
      await this.#tellChanges(context, 'work_pool_updated');
    });
  }

  async #tellChanges(context: Context, reason: string): Promise<void> {
    const pool = await context.db.first(workPoolNow, { name: this.#poolName, now: context.now });
    if (!pool || pool.id !== this.#greeting?.pool.id) return this.#end('authorization_failed');
    const told = this.#told;
    if (
      told?.is_paused === pool.is_paused &&
      told.concurrency_limit === pool.concurrency_limit &&
      told.base_job_template === pool.base_job_template &&
      told.storage_configuration === pool.storage_configuration
    ) {
      return;
    }
    this.#target.send(writeFrame('work_pool.snapshot.v1', this.#snapshot(context, pool, reason), context.now));
  }

  #snapshot(context: Context, pool: WorkPoolNow, reason: string) {
    this.#told = pool;
    return { snapshot_sequence: ++this.#sequence, reason, work_pool: workPoolResponse(pool, context.client) };
  }

  /** Delivers requests while the worker has room for them. */
  async #deliver(context: Context): Promise<void> {
    const [greeting, hello] = [this.#greeting, this.#hello];
    if (!greeting || !hello || greeting.cleanups === 0 || this.#isClosed) return;
    for (const [token, until] of this.#reserved) if (until < context.now) this.#reserved.delete(token);
    const room = greeting.cleanups - this.#reserved.size;
    if (room <= 0) return;
    const reserved = await reserveCleanups(context, {
      work_pool_id: greeting.pool.id,
      queues: greeting.queues.map(({ id }) => id),
      kinds: hello.handled_cleanup_kinds,
      limit: Math.min(room, 50),
    });
    for (const cleanup of reserved) {
      this.#reserved.set(cleanup.reservation_token, cleanup.lease_expires_at);
      const payload = { ...cleanup, message_id: cleanup.id, delivery_count: cleanup.deliveries, data: '{}' };
      this.#target.send(writeFrame('cleanup.message.v1', payload, context.now));
    }
  }

  #end(reason: CloseReason): void {
    if (this.#isClosed) return;
    this.close();
    this.#target.close(reason);
  }

  #do(onFailure: CloseReason, step: (context: Context) => Promise<void>): void {
    const work = async () => {
      if (this.#isClosed) return;
      try {
        await step(this.#target.context());
      } catch (error) {
        if (!(error instanceof NotFound)) throw error;
        this.#end('authorization_failed');
      }
    };
    this.#work = this.#work.then(() => attempt('the channel of a worker', work, () => this.#end(onFailure)));
  }
}
