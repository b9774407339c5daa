/**
 * The stream of `/events/out`: the recent past that the subscriber requests, then every matching event once it is
 * stored.
 */

import { type Hub, type StoredEvent, sizeOf } from '../changes/hub.ts';
import { LiveFrame } from '../changes/live-frame.ts';
import { readLargeValue, splitAtLargeValues } from '../database/lists/large-values.ts';
import type { Db } from '../database/store.ts';
import { Unavailable } from '../errors.ts';
import { Gate, TWO_THIRDS } from '../fairness/gate.ts';
import { nextTurn } from '../fairness/turns.ts';
import { compileEncoder } from '../schema/encode.ts';
import { addSeconds, type Timestamp } from '../values/time.ts';
import { inBackground } from '../watching/background.ts';
import { criteriaOf, type EventCriteria } from './criteria.ts';
import { compileLiveFilter, LiveEvent } from './live-filter.ts';
import { type EventPosition, listEvents } from './queries.ts';
import { type EventFilter, ReceivedEvent } from './schema.ts';

const PAGE_SIZE = 250;
/** Age of the oldest event that a backfill sends. Source: `/events/out` of the Prefect server 3.9.1. */
const LONGEST_BACKFILL_SECONDS = 900;
/**
 * An event is in the database before it is published, so the past may contain an event that is published later. A
 * commit is acknowledged within its deadlines, which are shorter than this.
 */
const PUBLISHED_WITHIN_SECONDS = 60;
/** Most events, and most characters of events, that may arrive while the past is sent. */
const MAX_WAITING = 10_000;
const MAX_WAITING_SIZE = 8 * 1024 * 1024;
/**
 * Pages of the past that this process holds at once. A workspace gets two thirds of them, and its callers take turns. A
 * page has less than 15 MB.
 */
const PAGES = 9;
const PAGE_WAIT_MILLISECONDS = 60_000;
const MAX_WAITING_PASTS = 10_000;
const END_OF_TIME = '9999-12-31T23:59:59.999999Z' as Timestamp;

/** The reader of the stream, and the time of its request. A `Context` is one. */
interface StreamContext {
  readonly workspace: number;
  readonly caller: string;
  readonly now: Timestamp;
  readonly db: Db;
  /** Like `db`, but rows omit large values. */
  readonly answerDb: Db;
  readonly server: { readonly hub: Hub };
}

/** The destination of a stream. */
export interface EventSink {
  send(frame: LiveFrame): void;
  /** True while the reader has not received what was sent. */
  readonly isBehind: boolean;
  /** Resolves when all data has left the process. */
  sent(): Promise<void>;
  /** Ends the stream: Unavailable for a subscriber that may reconnect, another error for a fault of the server. */
  giveUp(error: unknown): void;
}

const encodeEvent = compileEncoder(ReceivedEvent);
const pages = new Gate({
  name: 'pasts of streams',
  places: PAGES,
  levels: [TWO_THIRDS],
  waits: { milliseconds: PAGE_WAIT_MILLISECONDS, mostOfOne: MAX_WAITING_PASTS },
});

interface Published {
  readonly event: LiveEvent;
  frame: LiveFrame | undefined;
}

/** Labels are parsed and frames are written once for all subscribers of a process. */
const published = new WeakMap<StoredEvent, Published>();

function publishedOf(row: StoredEvent): Published {
  let found = published.get(row);
  if (!found) {
    found = { event: new LiveEvent(row), frame: undefined };
    published.set(row, found);
  }
  return found;
}

function frameOf(row: StoredEvent): LiveFrame {
  const shared = publishedOf(row);
  shared.frame ??= new LiveFrame(frameText(row));
  return shared.frame;
}

function frameText(row: StoredEvent): string {
  return `{"type":"event","event":${encodeEvent(row)}}`;
}

/**
 * Starts sending. Each event is sent once: the past ordered by time, then new events as they are stored, without a gap
 * in between. Returns a function that stops. A filter without `until` has no end.
 */
export function streamEvents(
  context: StreamContext,
  filter: EventFilter,
  backfill: boolean,
  sink: EventSink,
): () => void {
  const criteria = streamCriteria(context, filter);
  const matches = compileLiveFilter(criteria);
  const { hub } = context.server;
  let waiting = backfill ? new WaitingEvents() : undefined;
  /** Events of the past that may still be published. */
  const sent = new Set<string>();
  const unpublishedSince = addSeconds(context.now, -PUBLISHED_WITHIN_SECONDS);
  const stopping = new AbortController();
  let forgetting: NodeJS.Timeout | undefined;
  const unsubscribe = hub.hear(
    'events',
    context.workspace,
    (row, _, work) => {
      if (sent.delete(row.id) || !matches(publishedOf(row).event, work)) return;
      if (waiting) waiting.add(row);
      else sink.send(frameOf(row));
    },
    { caller: context.caller, end: (error) => sink.giveUp(error) },
  );
  const sendInTurn = async (frame: LiveFrame): Promise<void> => {
    await nextTurn();
    stopping.signal.throwIfAborted();
    sink.send(frame);
  };
  /**
   * Sends a page of the past until its reader is behind. Returns the position where it stopped; undefined after the
   * last event.
   */
  const sendPage = async (after: EventPosition | undefined): Promise<EventPosition | undefined> => {
    const page = await listEvents(context.answerDb, criteria, PAGE_SIZE, after);
    for (const row of page) {
      const text = await wholeText(context.db, frameText(row));
      if (!waiting?.take(row.id) && row.received >= unpublishedSince) sent.add(row.id);
      if (text !== undefined) await sendInTurn(new LiveFrame(text));
      if (sink.isBehind) return row;
    }
    return page.length < PAGE_SIZE ? undefined : page.at(-1);
  };
  const sendPast = async (): Promise<void> => {
    let after: EventPosition | undefined;
    do {
      // A slow reader does not keep a page in memory: the rest is read again when the reader has received the events
      // before.
      await sink.sent();
      const release = await pages.acquire([String(context.workspace), context.caller], { signal: stopping.signal });
      try {
        after = await sendPage(after);
      } finally {
        release();
      }
    } while (after);
    for (let row = waiting?.shift(); row; row = waiting?.shift()) {
      await sendInTurn(frameOf(row));
      if (sink.isBehind) await sink.sent();
    }
    waiting = undefined;
    forgetting = setTimeout(() => sent.clear(), PUBLISHED_WITHIN_SECONDS * 1000).unref();
  };
  if (backfill) {
    inBackground('the past of a stream of events', sendPast, (error) => {
      if (!stopping.signal.aborted) sink.giveUp(error);
    });
  }
  return () => {
    stopping.abort();
    clearTimeout(forgetting);
    unsubscribe();
  };
}

/** Events that were published while the past is sent. */
class WaitingEvents {
  readonly #rows = new Map<string, StoredEvent>();
  #size = 0;

  /** Throws Unavailable when too many events wait. */
  add(row: StoredEvent): void {
    this.#rows.set(row.id, row);
    this.#size += sizeOf(row);
    if (this.#rows.size > MAX_WAITING || this.#size > MAX_WAITING_SIZE) throw new Unavailable('The reader is too slow');
  }

  take(id: string): StoredEvent | undefined {
    const row = this.#rows.get(id);
    if (row) this.#size -= sizeOf(row);
    this.#rows.delete(id);
    return row;
  }

  shift(): StoredEvent | undefined {
    const [first] = this.#rows.keys();
    return first === undefined ? undefined : this.take(first);
  }
}

/** The text with the large values that its row omitted; undefined when the row has been deleted in the meantime. */
async function wholeText(db: Db, text: string): Promise<string | undefined> {
  let whole = '';
  for (const part of splitAtLargeValues(text)) {
    const piece = typeof part === 'string' ? part : await readLargeValue(db, part);
    if (piece === undefined) return undefined;
    whole += piece;
  }
  return whole;
}

function later(one: Timestamp, other: Timestamp): Timestamp {
  return [one, other].sort().at(-1) ?? one;
}

function streamCriteria(context: StreamContext, filter: EventFilter): EventCriteria {
  const criteria = criteriaOf({ ...filter, order: 'ASC' }, context.now);
  const earliest = addSeconds(context.now, -LONGEST_BACKFILL_SECONDS);
  const { since } = criteria.occurred;
  return {
    ...criteria,
    occurred: { since: later(since, earliest), until: filter.occurred?.until ?? END_OF_TIME },
    resource: criteria.resource && { ...criteria.resource, distinct: false },
  };
}
