/** The queue of actions that firings asked for. A row is deleted in the transaction that tells of its outcome. */
import { sql } from 'kysely';
import { statement } from '../../../database/statement.ts';
import type { Tx } from '../../../database/store.ts';
import type { Row } from '../../../database/tables.ts';
import type { Timestamp } from '../../../time.ts';

export type ActionRow = Row<'automation_action'>;

/** A place in the queue; the beginning is before every row. */
export interface Place {
  readonly created: Timestamp;
  readonly id: string;
}

export const beginning: Place = {
  created: '0001-01-01T00:00:00.000000Z' as Timestamp,
  id: '00000000-0000-0000-0000-000000000000',
};

const nextWaiting = statement<Place, ActionRow>(
  (_query, given, dialect) =>
    sql<ActionRow>`select * from automation_action where "workspace" = ${given.workspace} and state = 'waiting'
      and (created > ${given.created} or (created = ${given.created} and id > ${given.id}))
      order by created, id limit 1 ${dialect.forUpdateSkipLocked}`,
);

const nextWaitingOnHand = statement<Place, ActionRow>(
  (_query, given, dialect) =>
    sql<ActionRow>`select * from automation_action where "workspace" = ${given.workspace} and state = 'waiting'
      and (created > ${given.created} or (created = ${given.created} and id > ${given.id}))
      and not ${dialect.oneOf(dialect.jsonText(sql`action`, 'type'), ['send-notification', 'call-webhook'], 'text')}
      order by created, id limit 1 ${dialect.forUpdateSkipLocked}`,
);

const lost = statement<{ before: Timestamp }, ActionRow>(
  (_query, given, dialect) =>
    sql<ActionRow>`select * from automation_action where "workspace" = ${given.workspace} and state = 'started'
      and started < ${given.before} order by created, id limit 100 ${dialect.forUpdateSkipLocked}`,
);

const start = statement<{ id: string; holder: string; started: Timestamp }, unknown>((query, given) =>
  query
    .updateTable('automation_action')
    .set({ state: 'started', holder: given.holder, started: given.started })
    .where('workspace', '=', given.workspace)
    .where('id', '=', given.id),
);

const remove = statement<{ id: string }, unknown>((query, given) =>
  query.deleteFrom('automation_action').where('workspace', '=', given.workspace).where('id', '=', given.id),
);

const removeHeld = statement<{ id: string; holder: string }, unknown>((query, given) =>
  query
    .deleteFrom('automation_action')
    .where('workspace', '=', given.workspace)
    .where('id', '=', given.id)
    .where('holder', '=', given.holder),
);

/**
 * The first action behind `after` that nobody works on, kept from others until the transaction ends. `withOutgoing` false
 * passes over those that go out to other servers.
 */
export function claimNext(tx: Tx, after: Place, withOutgoing: boolean): Promise<ActionRow | undefined> {
  return tx.first(withOutgoing ? nextWaiting : nextWaitingOnHand, after);
}

/** Actions that were started before the given time and never ended. */
export function claimLost(tx: Tx, before: Timestamp): Promise<ActionRow[]> {
  return tx.all(lost, { before });
}

export async function markStarted(tx: Tx, row: { id: string; holder: string; started: Timestamp }): Promise<void> {
  await tx.run(start, row);
}

/** False when the row is gone already. */
export async function removeAction(tx: Tx, id: string): Promise<boolean> {
  return (await tx.run(remove, { id })) > 0;
}

/** False when the row is gone, or is another's by now. */
export async function removeStarted(tx: Tx, id: string, holder: string): Promise<boolean> {
  return (await tx.run(removeHeld, { id, holder })) > 0;
}
