/** The queue of actions from firings. A row is deleted in the transaction that records the outcome. */
import { sql } from 'kysely';
import { rows } from '../../../database/rows.ts';
import { statement } from '../../../database/statement.ts';
import type { Tx } from '../../../database/store.ts';
import type { Row } from '../../../database/tables/tables.ts';
import { FIRST_ID } from '../../../values/id.ts';
import type { Timestamp } from '../../../values/time.ts';

export type ActionRow = Row<'automation_action'>;

export const actions = rows('automation_action');

/** A place in the queue; the beginning is before every row. */
export interface Place {
  readonly created: Timestamp;
  readonly id: string;
}

export const beginning: Place = {
  created: '0001-01-01T00:00:00.000000Z' as Timestamp,
  id: FIRST_ID,
};

/** Actions that started before the given time and did not end. */
export const claimLost = statement<{ before: Timestamp }, ActionRow>(
  (_query, given, dialect) =>
    sql<ActionRow>`select * from automation_action where "workspace" = ${given.workspace} and state = 'started'
      and started < ${given.before} order by created, id limit 100 ${dialect.forUpdateSkipLocked}`,
);

/** Actions to skip. */
export interface Busy {
  /** If true, all actions that call other servers are skipped. */
  readonly outgoing: boolean;
  /** Block documents whose targets have enough running requests. */
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
