/** Reads values from the database at most every few seconds, however often they are requested. */
import { sql } from 'kysely';
import type { Gauge, Registry } from 'prom-client';
import { statement } from '../../database/statement.ts';
import type { Store } from '../../database/store.ts';
import {
  countAutomationWork,
  countPools,
  countSlots,
  countStates,
  countWorkersOnline,
  MOST_COUNTED,
  type StateCount,
} from '../../platform/operator/counts.ts';
import { addSeconds, type Clock, secondsBetween, type Timestamp } from '../../values/time.ts';
import type { Logger } from '../../watching/logger.ts';
import { BoundedLabel } from './bounded-label.ts';
import { databaseDefinitions } from './definitions.ts';
import { type Instruments, makeInstruments } from './instruments.ts';

const KEPT_MILLISECONDS = 10_000;
/** Applies in addition to the limit of each query. */
const DEADLINE_MILLISECONDS = 5000;
const MOST_WORKSPACES = 50;
const MOST_POOLS = 100;
/** A run that waits for a slot is scheduled again at most this far ahead. */
const AWAITING_SECONDS = 60;

interface DueRuns {
  readonly work_pool: string | null;
  readonly due: number;
  readonly late: number;
  readonly awaiting: number;
  readonly oldest: Timestamp;
}

/** Counts the oldest due runs, up to a limit, by work pool. */
const countDue = statement<{ now: Timestamp; until: Timestamp }, DueRuns>(
  (_query, given, dialect) => sql<DueRuns>`select work_pool.name as work_pool,
      sum(case when waiting.next_scheduled_start_time <= ${dialect.typed(given.now, 'timestamp')} then 1 else 0 end) as due,
      sum(case when waiting.state_name = 'Late' then 1 else 0 end) as late,
      sum(case when waiting.state_name = 'AwaitingConcurrencySlot' then 1 else 0 end) as awaiting,
      min(waiting.next_scheduled_start_time) as oldest
    from (select work_queue_id, next_scheduled_start_time, state_name from flow_run
        where workspace = ${given.workspace} and next_scheduled_start_time <= ${given.until} and state_type = 'SCHEDULED'
        order by next_scheduled_start_time limit ${sql.lit(MOST_COUNTED)}) waiting
      left join work_queue on work_queue."workspace" = ${given.workspace} and work_queue.id = waiting.work_queue_id
      left join work_pool on work_pool."workspace" = ${given.workspace} and work_pool.id = work_queue.work_pool_id
    group by work_pool.name`,
);

interface Parts {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
}

export class DatabaseMetrics {
  readonly #parts: Parts;
  readonly #instruments: Instruments<typeof databaseDefinitions>;
  readonly #workspaces = new BoundedLabel(MOST_WORKSPACES);
  readonly #pools = new BoundedLabel(MOST_POOLS);
  #reading: Promise<void> | undefined;
  #readAt = 0;

  constructor(registry: Registry, parts: Parts) {
    this.#parts = parts;
    this.#instruments = makeInstruments(databaseDefinitions, registry);
  }

  /** Resolves when the values are fresh enough, or absent because the database did not answer. */
  read(): Promise<void> {
    const now = performance.now();
    if (this.#reading === undefined || now - this.#readAt > KEPT_MILLISECONDS) {
      this.#readAt = now;
      this.#reading = this.#readAll().catch((error: unknown) => {
        for (const gauge of Object.values<Gauge>(this.#instruments)) gauge.reset();
        this.#instruments.signalbox_database_up.set(0);
        this.#parts.logger.warn({ err: error }, 'the database could not be read for the metrics');
      });
    }
    return this.#reading;
  }

  async #readAll(): Promise<void> {
    const { store, clock } = this.#parts;
    const now = clock.now();
    const requester = { background: true, share: 'metrics', signal: AbortSignal.timeout(DEADLINE_MILLISECONDS) };
    const db = store.platform.reads(requester);
    const [states, slots, pools, workers, automation, size] = await Promise.all([
      db.all(countStates),
      db.all(countSlots, { now }),
      db.all(countPools),
      db.all(countWorkersOnline, { now }),
      db.first(countAutomationWork),
      store.size(),
    ]);
    const until = addSeconds(now, AWAITING_SECONDS);
    const due = await Promise.all(
      withScheduledRuns(states).map(async ({ key, workspace }) => ({
        workspace,
        rows: await store.reads(key, requester).all(countDue, { now, until }),
      })),
    );
    const made = this.#instruments;
    for (const gauge of Object.values<Gauge>(made)) gauge.reset();
    made.signalbox_database_up.set(1);
    made.signalbox_database_size_bytes.set(size.bytes);
    if (size.freeBytes !== undefined) made.signalbox_database_free_bytes.set(size.freeBytes);
    made.signalbox_automation_events_waiting.set(automation?.events ?? 0);
    made.signalbox_automation_actions_waiting.set(automation?.actions ?? 0);
    for (const { workspace, state_type, count } of states) {
      if (state_type === '' || count === 0) continue;
      made.signalbox_flow_runs.inc({ workspace: this.#workspaces.of(workspace), state_type }, count);
    }
    for (const row of slots) {
      const workspace = this.#workspaces.of(row.workspace);
      made.signalbox_concurrency_slots.inc({ workspace }, row.slots);
      made.signalbox_concurrency_slots_held.inc({ workspace }, row.held);
    }
    for (const { workspace, status, count } of pools) {
      made.signalbox_work_pools.inc({ workspace: this.#workspaces.of(workspace), status }, count);
    }
    for (const { workspace, count } of workers) {
      made.signalbox_workers_online.inc({ workspace: this.#workspaces.of(workspace) }, count);
    }
    for (const { workspace, rows } of due) this.#setDue(this.#workspaces.of(workspace), rows, now);
  }

  #setDue(workspace: string, rows: readonly DueRuns[], now: Timestamp): void {
    const made = this.#instruments;
    const oldest = new Map<string, number>();
    for (const row of rows) {
      const work_pool = row.work_pool === null ? 'none' : this.#pools.of(row.work_pool);
      made.signalbox_flow_runs_due.inc({ workspace, work_pool }, row.due);
      made.signalbox_flow_runs_late.inc({ workspace, work_pool }, row.late);
      made.signalbox_flow_runs_awaiting_slots.inc({ workspace, work_pool }, row.awaiting);
      const seconds = Math.max(0, secondsBetween(row.oldest, now), oldest.get(work_pool) ?? 0);
      oldest.set(work_pool, seconds);
      made.signalbox_flow_runs_oldest_due_seconds.set({ workspace, work_pool }, seconds);
    }
  }
}

/** Workspaces with scheduled runs, those with the most first. */
function withScheduledRuns(states: readonly StateCount[]): StateCount[] {
  return states
    .filter(({ state_type, count }) => state_type === 'SCHEDULED' && count > 0)
    .sort((left, right) => right.count - left.count)
    .slice(0, MOST_WORKSPACES);
}
