import { sql } from 'kysely';
import type { Context } from '../context.ts';
import { rowOf, statement } from '../database/statement.ts';
import type { Tx } from '../database/store.ts';
import type { NewRow, Row } from '../database/tables.ts';
import type { JsonText } from '../json.ts';
import type { Timestamp } from '../time.ts';
import type { StoredEvent } from './hub.ts';
import { type IncomingEvent, type Resource, receiveEvent } from './received-event.ts';

export type { Resource } from './received-event.ts';

export interface NewEvent {
  readonly id: string;
  readonly occurred: Timestamp;
  /** The event's name, for example `prefect.flow-run.Completed`. */
  readonly event: string;
  readonly resource: Resource;
  readonly related: readonly Resource[];
  readonly payload: JsonText;
  /** The event that this one comes after, when the order matters. */
  readonly follows: string | null;
}

const insertEvent = statement<NewRow<'event'>, Pick<Row<'event'>, 'id'>>((query, given) =>
  query
    .insertInto('event')
    .values(rowOf('event', given))
    .onConflict((conflict) => conflict.columns(['workspace', 'id']).doNothing())
    .returning('id'),
);

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

// `where true` parts the `on` of a conflict from that of a join.
const insertManyEvents = statement<{ events: string }, Pick<Row<'event'>, 'id'>>((_query, given, dialect) => {
  const columns = sql.join(Object.keys(eventKinds).map((name) => sql.id(name)));
  return sql`insert into event ("workspace", ${columns})
    select ${dialect.typed(given.workspace, 'integer')}, ${columns} from ${dialect.rowsFrom(given.events, eventKinds)} item
    where true on conflict ("workspace", id) do nothing returning id`;
});

const insertResources = statement<{ resources: string }, unknown>(
  (_query, given, dialect) =>
    sql`insert into event_resource ("workspace", resource_id, role, occurred, event_id)
      select ${dialect.typed(given.workspace, 'integer')}, resource_id, role, occurred, event_id
      from ${dialect.rowsFrom(given.resources, {
        resource_id: 'text',
        role: 'text',
        occurred: 'timestamp',
        event_id: 'uuid',
      })} item`,
);

/**
 * Writes an event in the transaction that it tells of, and publishes it once that is durable. Returns false, and does
 * nothing, when an event with this id is already there.
 */
export async function recordEvent(context: Context, tx: Tx, event: NewEvent): Promise<boolean> {
  const incoming = receiveEvent(context.workspace, context.now, event);
  if (!(await tx.first(insertEvent, incoming.row))) return false;
  await insertRelated(tx, [incoming]);
  tx.afterCommit(() => context.server.hub.publish('events', context.workspace, [incoming.row]));
  return true;
}

/**
 * Writes many events at once. Answers those that were not there before, one of each id; it does not publish them.
 */
export async function insertEvents(tx: Tx, events: readonly IncomingEvent[]): Promise<StoredEvent[]> {
  const rows = events.map(({ row: { workspace: _, ...row } }) => row);
  const inserted = new Set((await tx.all(insertManyEvents, { events: JSON.stringify(rows) })).map(({ id }) => id));
  const isNew = events.filter(({ row }) => inserted.delete(row.id));
  await insertRelated(tx, isNew);
  return isNew.map(({ row }) => row);
}

/** The related resources of new events, by which the events are found. */
async function insertRelated(tx: Tx, events: readonly IncomingEvent[]): Promise<void> {
  const resources = events.flatMap(({ row, related }) =>
    related.map((resource) => ({
      resource_id: resource['prefect.resource.id'] ?? '',
      role: resource['prefect.resource.role'] ?? '',
      occurred: row.occurred,
      event_id: row.id,
    })),
  );
  if (resources.length > 0) await tx.run(insertResources, { resources: JSON.stringify(resources) });
}
