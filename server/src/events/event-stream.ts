/** The stream of `/events/out`: the recent past that the subscriber asks for, then every matching event once stored. */
import { inBackground } from '../background.ts';
import type { Db } from '../database/store.ts';
import { compileEncoder } from '../schema/encode.ts';
import { addSeconds, type Timestamp } from '../time.ts';
import { criteriaOf, type EventCriteria } from './criteria.ts';
import type { EventHub, StoredEvent } from './hub.ts';
import { compileLiveFilter, LiveEvent } from './live-filter.ts';
import { type EventPosition, listEvents } from './queries.ts';
import { type EventFilter, ReceivedEvent } from './schema.ts';

const PAGE_SIZE = 250;
/** Age of the oldest event that a backfill sends. Source: `/events/out` of the Prefect server 3.9.1. */
const LONGEST_BACKFILL_SECONDS = 900;
/**
 * An event is in the database before it is published, so the past may hold one that is published afterwards. A commit is
 * acknowledged within its deadlines, which are shorter than this.
 */
const PUBLISHED_WITHIN_SECONDS = 60;
/** Most events that may arrive while the past is sent. */
const MAX_WAITING = 10_000;
const END_OF_TIME = '9999-12-31T23:59:59.999999Z' as Timestamp;

/** The subscriber's workspace, and when it asked. `Context` has it. */
interface StreamContext {
  readonly workspace: number;
  readonly now: Timestamp;
  readonly db: Db;
  readonly server: { readonly hub: EventHub };
}

/** The destination of a stream. */
export interface EventSink {
  send(frame: Buffer): void;
  /** Resolves when there is room for more. */
  sent(): Promise<void>;
  /** Ends the stream for a subscriber that is too far behind, or after a fault of the server. */
  giveUp(cause: 'too slow' | 'failed'): void;
}

const encodeEvent = compileEncoder(ReceivedEvent);

interface Published {
  readonly event: LiveEvent;
  frame: Buffer | undefined;
}

/** Reads labels and writes frames once for all subscribers of a process. */
const published = new WeakMap<StoredEvent, Published>();

function publishedOf(row: StoredEvent): Published {
  let found = published.get(row);
  if (!found) {
    found = { event: new LiveEvent(row), frame: undefined };
    published.set(row, found);
  }
  return found;
}

function frameOf(row: StoredEvent): Buffer {
  const shared = publishedOf(row);
  shared.frame ??= Buffer.from(`{"type":"event","event":${encodeEvent(row)}}`);
  return shared.frame;
}

/**
 * Begins to send. Events are sent once each, the past in the order of its times and from then on as they are kept, with no
 * gap in between. Returns a function that stops. A filter without `until` has no end.
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
  let waiting: Map<string, StoredEvent> | undefined = backfill ? new Map() : undefined;
  /** Events of the past that may still be published. */
  const sent = new Set<string>();
  const unpublishedSince = addSeconds(context.now, -PUBLISHED_WITHIN_SECONDS);
  let isStopped = false;
  let forgetting: NodeJS.Timeout | undefined;
  const failed = () => sink.giveUp('failed');
  const unsubscribe = hub.subscribe(
    'events',
    context.workspace,
    (rows) => {
      for (const row of rows) {
        if (sent.delete(row.id) || !matches(publishedOf(row).event)) continue;
        if (waiting) waiting.set(row.id, row);
        else sink.send(frameOf(row));
      }
      if (waiting && waiting.size > MAX_WAITING) sink.giveUp('too slow');
    },
    failed,
  );
  const sendPast = async (): Promise<void> => {
    let after: EventPosition | undefined;
    for (;;) {
      const page = await listEvents(context.db, criteria, PAGE_SIZE, after);
      if (isStopped) return;
      for (const row of page) {
        if (!waiting?.delete(row.id) && row.received >= unpublishedSince) sent.add(row.id);
        sink.send(frameOf(row));
      }
      after = page.at(-1);
      if (page.length < PAGE_SIZE) break;
      await sink.sent();
    }
    for (const row of waiting?.values() ?? []) sink.send(frameOf(row));
    waiting = undefined;
    forgetting = setTimeout(() => sent.clear(), PUBLISHED_WITHIN_SECONDS * 1000).unref();
  };
  if (backfill) inBackground('the past of a stream of events', sendPast, failed);
  return () => {
    isStopped = true;
    clearTimeout(forgetting);
    unsubscribe();
  };
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
