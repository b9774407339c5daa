import { sql } from 'kysely';
import type { Context } from '../context.ts';
import { rowOf, statement } from '../database/statement.ts';
import type { Tx } from '../database/store.ts';
import type { NewRow, Row } from '../database/tables.ts';
import { type JsonText, jsonTextOf } from '../json.ts';
import type { Timestamp } from '../time.ts';

/** Labels of a resource; `prefect.resource.id` is always there, related ones also have `prefect.resource.role`. */
export type Resource = Readonly<Record<string, string>>;

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

const insertResources = statement<{ event_id: string; occurred: Timestamp; related: string }, unknown>(
  (_query, given, dialect) =>
    sql`insert into event_resource ("workspace", resource_id, role, occurred, event_id)
      select ${dialect.typed(given.workspace, 'integer')}, item.id, item.role,
        ${dialect.typed(given.occurred, 'timestamp')}, ${dialect.typed(given.event_id, 'uuid')}
      from ${dialect.rowsFrom(given.related, { id: 'text', role: 'text' })} item`,
);

/**
 * Writes an event in the transaction that it tells of, and publishes it once that is durable. Returns false, and does
 * nothing, when an event with this id is already there.
 */
export async function recordEvent(context: Context, tx: Tx, event: NewEvent): Promise<boolean> {
  const row: Row<'event'> = {
    workspace: context.workspace,
    id: event.id,
    occurred: event.occurred,
    received: context.now,
    event: event.event,
    resource_id: event.resource['prefect.resource.id'] ?? '',
    resource: jsonTextOf(event.resource),
    related: jsonTextOf(event.related),
    payload: event.payload,
    follows: event.follows,
  };
  if (!(await tx.first(insertEvent, row))) return false;
  if (event.related.length > 0) {
    const related = event.related.map((resource) => ({
      id: resource['prefect.resource.id'] ?? '',
      role: resource['prefect.resource.role'] ?? '',
    }));
    await tx.run(insertResources, { event_id: event.id, occurred: event.occurred, related: JSON.stringify(related) });
  }
  tx.afterCommit(() => context.server.hub.publish('events', context.workspace, [row]));
  return true;
}
