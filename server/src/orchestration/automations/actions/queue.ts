/** The queue of actions from firings. A row is deleted in the transaction that records the outcome. */
import { sql } from 'kysely';
import { deleteById } from '../../../database/by-id.ts';
import { statement } from '../../../database/statement.ts';
import type { Tx } from '../../../database/store.ts';
import type { Row } from '../../../database/tables.ts';
import { FIRST_ID } from '../../../id.ts';
import type { Timestamp } from '../../../time.ts';

export type ActionRow = Row<'automation_action'>;

/** A place in the queue; the beginning is before every row. */
export interface Place {
  readonly created: Timestamp;
  readonly id: string;
}

export const beginning: Place = {
  created: '0001-01-01T00:00:00.000000Z' as Timestamp,
  id: FIRST_ID,
};

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

const remove = deleteById('automation_action');

const removeHeld = statement<{ id: string; holder: string }, unknown>((query, given) =>
  query
    .deleteFrom('automation_action')
    .where('workspace', '=', given.workspace)
    .where('id', '=', given.id)
    .where('holder', '=', given.holder),
);

/** Actions to skip for now. */
export interface Busy {
  /** True skips all that call other servers. */
  readonly outgoing: boolean;
  /** Block documents whose targets have enough requests under way. */
  readonly blocks: readonly string[];
}

/** Actions that are requests to other servers. */
const OUTGOING = ['send-notification', 'call-webhook'] as const;

/** Locks the first action after `after` that no process has started, until the transaction ends. */
export async function claimNext(tx: Tx, after: Place, busy: Busy): Promise<ActionRow | undefined> {
  const { dialect } = tx;
  const member = (key: string) => sql`coalesce(${dialect.jsonText(sql`action`, key)}, '')`;
  const passedOver = busy.outgoing
    ? dialect.oneOf(member('type'), OUTGOING, 'text')
    : dialect.oneOf(member('block_document_id'), busy.blocks, 'text');
  const [row] = await tx.query(
    sql<ActionRow>`select * from automation_action where "workspace" = ${tx.workspace} and state = 'waiting'
      and (created > ${after.created} or (created = ${after.created} and id > ${after.id})) and not ${passedOver}
      order by created, id limit 1 ${dialect.forUpdateSkipLocked}`,
  );
  return row;
}

/** Actions that started before the given time and did not end. */
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

/** False when the row is gone, or another process holds it by now. */
export async function removeStarted(tx: Tx, id: string, holder: string): Promise<boolean> {
  return (await tx.run(removeHeld, { id, holder })) > 0;
}
