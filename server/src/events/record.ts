import { sql } from 'kysely';
import type { Hub, StoredEvent } from '../changes/hub.ts';
import { rowOf, statement } from '../database/statement.ts';
import type { Tx } from '../database/store.ts';
import type { NewRow, Row } from '../database/tables/tables.ts';
import type { JsonText } from '../values/json.ts';
import type { Timestamp } from '../values/time.ts';
import { type IncomingEvent, type Resource, receiveEvent } from './received-event.ts';

export type { Resource } from './received-event.ts';

/** The workspace and the time of an event, and the services that its commit wakes. `Context` has them. */
export interface RecordingContext {
  readonly workspace: number;
  readonly now: Timestamp;
  readonly server: { readonly hub: Hub };
}

export interface NewEvent {
  readonly id: string;
  readonly occurred: Timestamp;
  /** The event's name, for example `prefect.flow-run.Completed`. */
  readonly event: string;
  readonly resource: Resource;
  readonly related: readonly Resource[];
  readonly payload: JsonText;
  /** The event after which this one comes, when the order matters. */
  readonly follows: string | null;
}

const eventKinds = {
  id: 'uuid',
  occurred: 'timestamp',
  received: 'timestamp',
  event: 'text',
  resource_id: 'text',
  resource: 'text',
  related: 'text',
  payload: 'text',
  follows: 'uuid',
} as const;
const eventColumns = sql.join(Object.keys(eventKinds).map((name) => sql.id(name)));

/**
 * The key of a divided table contains the time of the event, so it decides only between two that are sent at the same
 * moment; an earlier one may be in any partition.
 */
const insertEvent = statement<NewRow<'event'>, Pick<Row<'event'>, 'id'>>((_query, given, dialect) => {
  const workspace = dialect.typed(given.workspace, 'integer');
  const values = Object.entries(eventKinds).map(([name, kind]) =>
    dialect.typed(given[name as keyof typeof eventKinds], kind),
  );
  return sql`insert into event ("workspace", ${eventColumns}) select ${workspace}, ${sql.join(values)}
    where not exists (select 1 from event stored where stored."workspace" = ${workspace}
      and stored.id = ${dialect.typed(given.id, 'uuid')}) on conflict do nothing returning id`;
});

const insertNewEvent = statement<NewRow<'event'>, unknown>(
  (query, given) => query.insertInto('event').values(rowOf('event', given)),
  { merges: 'uncounted' },
);

/** Looks all ids up at once: for each one, PostgreSQL would begin a look in every partition. */
const insertManyEvents = statement<{ events: string }, Pick<Row<'event'>, 'id'>>((_query, given, dialect) => {
  const workspace = dialect.typed(given.workspace, 'integer');
  const stored = sql`select stored.id from event stored where stored."workspace" = ${workspace}
    and ${dialect.isAmong(sql`stored.id`, sql`select sent.id from sent`)}`;
  return sql`with sent as materialized (select ${eventColumns} from ${dialect.rowsFrom(given.events, eventKinds)} item)
    insert into event ("workspace", ${eventColumns}) select ${workspace}, ${eventColumns} from sent
    where not (${dialect.isAmong(sql`sent.id`, stored)}) on conflict do nothing returning id`;
});

// The statement itself tests this, so that no event stored after an automation is missed.
const queueForTriggers = statement<{ events: string }, unknown>(
  (_query, given, dialect) =>
    sql`insert into automation_event ("workspace", event_id, follows)
      select ${dialect.typed(given.workspace, 'integer')}, event_id, follows
      from ${dialect.rowsFrom(given.events, { event_id: 'uuid', follows: 'uuid' })} item
      where exists (select 1 from automation where "workspace" = ${given.workspace} and enabled)`,
  { merges: 'counted' },
);

/** Clients may send logs as events; triggers never evaluate them. */
const UNTRIGGERING_EVENT = 'prefect.log.write';

/**
 * Writes an event in the transaction of the change that it describes, and publishes it once the transaction is durable.
 * Returns false, and does nothing, when an event with this id exists.
 */
export async function recordEvent(context: RecordingContext, tx: Tx, event: NewEvent): Promise<boolean> {
  const incoming = receiveEvent(context.workspace, context.now, event);
  if (!(await tx.first(insertEvent, incoming.row))) return false;
  await completeEvent(context, tx, incoming);
  return true;
}

/**
 * Like `recordEvent`, for an event whose id was made in this transaction, so that it cannot exist yet: the event and
 * its rows are sent to the database together.
 */
export async function recordNewEvent(context: RecordingContext, tx: Tx, event: NewEvent): Promise<void> {
  const incoming = receiveEvent(context.workspace, context.now, event);
  await Promise.all([tx.run(insertNewEvent, incoming.row), completeEvent(context, tx, incoming)]);
}

async function completeEvent(context: RecordingContext, tx: Tx, incoming: IncomingEvent): Promise<void> {
  // The event that this one follows was written before it, so triggers need not wait for it.
  const [, isQueued] = await Promise.all([
    insertRelated(tx, [incoming]),
    queueEvents(tx, [{ ...incoming.row, follows: null }]),
  ]);
  tx.afterCommit(() => {
    context.server.hub.tell('events', context.workspace, incoming.row);
    if (isQueued) context.server.hub.tell('work', 'triggers', context.workspace);
  });
}

interface InsertedEvents {
  /** The events that were new, one for each id. */
  readonly inserted: StoredEvent[];
  /** True when triggers must evaluate them: the caller wakes the service after the commit. */
  readonly isQueued: boolean;
}

/** Writes many events at once. It neither publishes them nor wakes the triggers. */
export async function insertEvents(tx: Tx, events: readonly IncomingEvent[]): Promise<InsertedEvents> {
  const isNew = await insertMissing(tx, events);
  const inserted = isNew.map(({ row }) => row);
  const [, isQueued] = await Promise.all([insertRelated(tx, isNew), queueEvents(tx, inserted)]);
  return { inserted, isQueued };
}

/** Writes events of another server, which triggers do not evaluate; returns the number of new ones. */
export async function insertPastEvents(tx: Tx, events: readonly IncomingEvent[]): Promise<number> {
  const isNew = await insertMissing(tx, events);
  await insertRelated(tx, isNew);
  return isNew.length;
}

/** Returns the events that were new, one for each id. */
async function insertMissing(tx: Tx, events: readonly IncomingEvent[]): Promise<IncomingEvent[]> {
  const ids = new Set(events.map(({ row }) => row.id));
  const rows = events.flatMap(({ row: { workspace: _, ...row } }) => (ids.delete(row.id) ? [row] : []));
  const inserted = new Set((await tx.all(insertManyEvents, { events: JSON.stringify(rows) })).map(({ id }) => id));
  return events.filter(({ row }) => inserted.delete(row.id));
}

/** Queues events for triggers; false when the workspace has no enabled automation. */
async function queueEvents(tx: Tx, events: readonly StoredEvent[]): Promise<boolean> {
  const queued = events.filter(({ event }) => event !== UNTRIGGERING_EVENT);
  if (queued.length === 0) return false;
  const rows = queued.map(({ id, follows }) => ({ event_id: id, follows }));
  return (await tx.run(queueForTriggers, { events: JSON.stringify(rows) })) > 0;
}

/** Writes the related resources of new events, by which the events are found. */
async function insertRelated(tx: Tx, events: readonly IncomingEvent[]): Promise<void> {
  const resources = events.flatMap(({ row, related }) =>
    related.map((resource) => ({
      resource_id: resource['prefect.resource.id'] ?? '',
      role: resource['prefect.resource.role'] ?? '',
      occurred: row.occurred,
      event_id: row.id,
    })),
  );
  await tx.insertAll('event_resource', resources, 'on conflict do nothing', { merges: 'uncounted' });
}
