/** Statements for the counts over time. */
import { sql } from 'kysely';
import { deleteFound } from '../database/delete-found.ts';
import { platformStatement, rowOf } from '../database/statement.ts';
import type { PlatformTx } from '../database/store.ts';
import type { Row } from '../database/tables/tables.ts';

type RateRow = Row<'rate'>;

const BATCH = 250;

/** Makes the row if there is none, and locks it until the transaction ends: processes take turns at it. */
export const lockRate = platformStatement<RateRow, Pick<RateRow, 'taken'>>((query, given) =>
  query
    .insertInto('rate')
    .values(rowOf('rate', given))
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet({
        full_until: sql<number>`case when rate.full_until > ${given.full_until} then rate.full_until else ${given.full_until} end`,
      }),
    )
    .returning('taken'),
);

export const updateTaken = platformStatement<Pick<RateRow, 'key' | 'taken'>, unknown>((query, given) =>
  query.updateTable('rate').set({ taken: given.taken }).where('key', '=', given.key),
);

/** Deletes attempts that count no more. */
export const forgetAttempts = platformStatement<{ now: number }, unknown>((query, given) =>
  query.deleteFrom('rate').where('full_until', '<', given.now).where('server_id', 'is', null),
);

/** Deletes what counts no more; `now` is in milliseconds since 1970. Returns true when more is left. */
export async function forgetRates(tx: PlatformTx, now: number): Promise<boolean> {
  return (await tx.run(deleteBefore, { now })) === BATCH;
}

const deleteBefore = platformStatement<{ now: number }, unknown>((_query, given, dialect) => {
  const found = sql`select key from rate where full_until < ${given.now} limit ${sql.lit(BATCH)}`;
  return deleteFound(sql.table('rate'), sql<boolean>`true`, sql.ref('key'), found, dialect);
});
