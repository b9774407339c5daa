/**
 * Writes client events to the database. Events that arrive during a write form the next batch, so a busy server writes
 * many in one transaction and an idle one writes a single event at once. In the same transaction, recorders store the
 * task runs that the events describe.
 */

import { setTimeout as pause } from 'node:timers/promises';
import type { Hub } from '../changes/hub.ts';
import type { Store, Tx } from '../database/store.ts';
import { Unavailable } from '../errors.ts';
import type { Clock, Timestamp } from '../values/time.ts';
import { inBackground } from '../watching/background.ts';
import type { Logger } from '../watching/logger.ts';
import { type DroppedEventTold, droppedEvents } from '../watching/telemetry.ts';
import { type IncomingEvent, MAX_EVENT_BYTES } from './received-event.ts';
import { insertEvents } from './record.ts';

/** A transaction blocks others on SQLite, so the batch size limits it to some 20 ms. */
export const MAX_BATCH_EVENTS = 200;
const MAX_BATCH_BYTES = 1_000_000;
/**
 * Bytes of a workspace, and of all, that may wait in memory before senders are paused. Some batches are enough for the
 * database to be busy; more would only be moved about by the garbage collector.
 */
const MAX_BACKLOG_BYTES = 4_000_000;
const MAX_ALL_BACKLOGS_BYTES = 16_000_000;
/** Log lines about dropped events of one workspace in this time. */
const DROPS_TOLD = 20;
const DROPS_MILLISECONDS = 60_000;
const FIRST_RETRY_MILLISECONDS = 100;
const LAST_RETRY_MILLISECONDS = 5000;

interface Recording {
  readonly now: Timestamp;
  readonly logger: Logger;
}

/**
 * Derives rows from events and writes them in the transaction that stores the events. It may get an event more than
 * once. It skips an event that it cannot read; when it throws, its rows are lost, but never the event.
 */
export type EventRecorder = (tx: Tx, events: readonly IncomingEvent[], recording: Recording) => Promise<void>;

interface IntakeParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly hub: Hub;
  readonly logger: Logger;
  readonly recorders: readonly EventRecorder[];
}

/** Events of one workspace that are not written yet. The numbers count events since the start. */
interface Backlog {
  readonly events: IncomingEvent[];
  accepted: number;
  settled: number;
  readonly waiting: { readonly upTo: number; readonly resolve: () => void }[];
  readonly waitingForRoom: (() => void)[];
  bytes: number;
  writing: boolean;
}

export class EventIntake {
  readonly #parts: IntakeParts;
  readonly #backlogs = new Map<number, Backlog>();
  readonly #closing = new AbortController();
  readonly #toldDrops = new Map<number, { since: number; lines: number }>();
  #allBytes = 0;

  constructor(parts: IntakeParts) {
    this.#parts = parts;
  }

  /**
   * Stores `events` and resolves when they are durable. Events that are too large are dropped with a line in the log.
   * Throws Unavailable when the database cannot store them now; sending all of them again is safe, even if some were
   * stored.
   */
  async write(workspace: number, events: readonly IncomingEvent[]): Promise<void> {
    const kept = events.filter((event) => this.#isKept(workspace, event));
    while (kept.length > 0) await this.#writeBatch(workspace, takeBatch(kept));
  }

  /** Accepts an event to be written soon, regardless of the database's speed; see `settled`. */
  enqueue(workspace: number, event: IncomingEvent): void {
    if (!this.#isKept(workspace, event)) return;
    const backlog = this.#backlogOf(workspace);
    backlog.events.push(event);
    backlog.accepted++;
    backlog.bytes += event.sizeBytes;
    this.#allBytes += event.sizeBytes;
    if (!backlog.writing) this.#drainInBackground(workspace, backlog);
  }

  /** Resolves when every event that this workspace accepted before the call is durable. */
  async settled(workspace: number): Promise<void> {
    const backlog = this.#backlogs.get(workspace);
    if (!backlog) return;
    const upTo = backlog.accepted;
    await new Promise<void>((resolve) => backlog.waiting.push({ upTo, resolve }));
  }

  /** True when senders of this workspace should pause until `room` resolves. */
  isFull(workspace: number): boolean {
    const backlog = this.#backlogs.get(workspace);
    return backlog !== undefined && this.#hasNoRoom(backlog);
  }

  async room(workspace: number): Promise<void> {
    const backlog = this.#backlogs.get(workspace);
    if (!backlog || !this.#hasNoRoom(backlog)) return;
    await new Promise<void>((resolve) => backlog.waitingForRoom.push(resolve));
  }

  #hasNoRoom({ bytes }: Backlog): boolean {
    return bytes > MAX_BACKLOG_BYTES || (bytes > 0 && this.#allBytes > MAX_ALL_BACKLOGS_BYTES);
  }

  /** Writes all accepted events. Does not wait for a database that stays unavailable. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([...this.#backlogs.keys()].map((workspace) => this.settled(workspace)));
  }

  /** Counts an event that cannot be stored, and logs it, at most a few times a minute for each workspace. */
  drop(workspace: number, cause: DroppedEventTold['cause'], about: object, reason: string): void {
    droppedEvents.note({ cause });
    const told = this.#toldDrops.get(workspace) ?? { since: 0, lines: 0 };
    const now = performance.now();
    if (now - told.since > DROPS_MILLISECONDS) Object.assign(told, { since: now, lines: 0 });
    this.#toldDrops.set(workspace, told);
    told.lines++;
    if (told.lines <= DROPS_TOLD) this.#parts.logger.warn({ workspace, ...about }, `event dropped: ${reason}`);
  }

  #isKept(workspace: number, { row, sizeBytes }: IncomingEvent): boolean {
    if (sizeBytes <= MAX_EVENT_BYTES) return true;
    this.drop(workspace, 'size', { event: row.event, id: row.id, bytes: sizeBytes }, 'it is too large');
    return false;
  }

  #backlogOf(workspace: number): Backlog {
    let backlog = this.#backlogs.get(workspace);
    if (!backlog) {
      backlog = { events: [], accepted: 0, settled: 0, waiting: [], waitingForRoom: [], bytes: 0, writing: false };
      this.#backlogs.set(workspace, backlog);
    }
    return backlog;
  }

  /** Starts again after a fault: a sender is answered only once its events are stored. */
  #drainInBackground(workspace: number, backlog: Backlog): void {
    backlog.writing = true;
    const again = () => {
      setTimeout(() => this.#drainInBackground(workspace, backlog), FIRST_RETRY_MILLISECONDS).unref();
    };
    inBackground('the drain of events', () => this.#drain(workspace, backlog), again);
  }

  async #drain(workspace: number, backlog: Backlog): Promise<void> {
    while (backlog.events.length > 0) {
      // Waits one turn of the event loop, so that all events that have arrived form one batch.
      await new Promise(setImmediate);
      const batch = takeBatch(backlog.events);
      try {
        await this.#writePatiently(workspace, batch);
      } catch (error) {
        backlog.events.unshift(...batch);
        throw error;
      }
      this.#settle(backlog, batch);
    }
    this.#backlogs.delete(workspace);
  }

  #settle(backlog: Backlog, batch: readonly IncomingEvent[]): void {
    backlog.settled += batch.length;
    const bytes = batch.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    backlog.bytes -= bytes;
    this.#allBytes -= bytes;
    while (backlog.waiting[0] && backlog.waiting[0].upTo <= backlog.settled) backlog.waiting.shift()?.resolve();
    for (const waiting of this.#backlogs.values()) {
      if (!this.#hasNoRoom(waiting)) for (const resolve of waiting.waitingForRoom.splice(0)) resolve();
    }
  }

  /** Retries while the database is away: no sender has an answer about these events yet. */
  async #writePatiently(workspace: number, batch: readonly IncomingEvent[]): Promise<void> {
    const { logger } = this.#parts;
    for (let delay = FIRST_RETRY_MILLISECONDS; ; delay = Math.min(delay * 2, LAST_RETRY_MILLISECONDS)) {
      try {
        return await this.#writeBatch(workspace, batch);
      } catch (error) {
        if (this.#closing.signal.aborted) {
          logger.error({ err: error, events: batch.length }, 'events lost: the database was not available at shutdown');
          return;
        }
        logger.warn({ err: error, events: batch.length }, 'events wait for the database');
        await pause(delay, undefined, { signal: this.#closing.signal }).catch(() => {});
      }
    }
  }

  /** Throws only Unavailable: an event that the database refuses does not affect the others. */
  async #writeBatch(workspace: number, batch: readonly IncomingEvent[]): Promise<void> {
    try {
      await this.#transact(workspace, batch, this.#parts.recorders);
    } catch (error) {
      if (error instanceof Unavailable) throw error;
      const [only, ...others] = batch;
      if (!only) return;
      if (others.length === 0) return this.#writeOne(workspace, only, error);
      for (const event of batch) await this.#writeBatch(workspace, [event]);
    }
  }

  /** The last resort for an event whose recorder failed: writes the event alone. */
  async #writeOne(workspace: number, event: IncomingEvent, cause: unknown): Promise<void> {
    const { logger } = this.#parts;
    const about = { event: event.row.event, id: event.row.id };
    try {
      await this.#transact(workspace, [event], []);
      logger.error({ err: cause, ...about }, 'event kept, but what it tells could not be recorded');
    } catch (error) {
      if (error instanceof Unavailable) throw error;
      this.drop(workspace, 'database', { err: error, ...about }, 'the database refuses it');
    }
  }

  #transact(workspace: number, events: readonly IncomingEvent[], recorders: readonly EventRecorder[]): Promise<void> {
    const { store, clock, hub, logger } = this.#parts;
    return store.transaction(workspace, async (tx) => {
      const { inserted, isQueued } = await insertEvents(tx, events);
      const recording = { now: clock.now(), logger };
      for (const record of recorders) await record(tx, events, recording);
      if (inserted.length > 0) tx.afterCommit(() => hub.tell('events', workspace, ...inserted));
      if (isQueued) tx.afterCommit(() => hub.tell('work', 'triggers', workspace));
    });
  }
}

/** Takes the oldest events, at least one. */
function takeBatch(events: IncomingEvent[]): IncomingEvent[] {
  let bytes = 0;
  let count = 0;
  for (const { sizeBytes } of events) {
    bytes += sizeBytes;
    if (count === MAX_BATCH_EVENTS || (count > 0 && bytes > MAX_BATCH_BYTES)) break;
    count++;
  }
  return events.splice(0, count);
}
