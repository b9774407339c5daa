/**
 * A deployment's own concurrency limit: a global limit named after the deployment, created and deleted with its
 * `concurrency_limit`. This file never changes or deletes a limit that several deployments share.
 */
import { sql } from 'kysely';
import type { Context } from '../../../context/context.ts';
import { rowOf, statement } from '../../../database/statement.ts';
import type { Db, Tx } from '../../../database/store.ts';
import type { NewRow } from '../../../database/tables/tables.ts';
import { newId } from '../../../values/id.ts';
import type { Timestamp } from '../../../values/time.ts';
import { type LimitInUse, leasedSlots, limits } from './queries.ts';

const PREFIX = 'deployment:';
const DEFAULT_OCCUPANCY_SECONDS = 2;

const upsertLimit = statement<NewRow<'concurrency_limit'>, { id: string }>((query, given) =>
  query
    .insertInto('concurrency_limit')
    .values(rowOf('concurrency_limit', given))
    .onConflict((conflict) =>
      conflict.columns(['workspace', 'name']).doUpdateSet({
        limit: given.limit,
        // An equal limit does not count as a change.
        updated: sql`case when concurrency_limit."limit" = excluded."limit" then concurrency_limit.updated
          else excluded.updated end`,
      }),
    )
    .returning('id'),
);

const deleteOther = statement<{ name: string; kept: string }, unknown>((query, given) =>
  query
    .deleteFrom('concurrency_limit')
    .where('workspace', '=', given.workspace)
    .where('name', '=', given.name)
    .where('id', '<>', given.kept),
);

/** The own limits of a flow's deployments. Run it before the flow's deployments are deleted. */
export const deleteOwnLimitsOfFlow = statement<{ flow_id: string }, unknown>(
  (_query, given) =>
    sql`delete from concurrency_limit where "workspace" = ${given.workspace} and name in
      (select ${sql.lit(PREFIX)} || deployment.id from deployment
        where deployment."workspace" = ${given.workspace} and deployment.flow_id = ${given.flow_id})`,
);

/** Limits by id, with their slots in use. */
export async function limitsById(
  db: Db,
  ids: readonly string[],
  now: Timestamp,
): Promise<ReadonlyMap<string, LimitInUse>> {
  if (ids.length === 0) return new Map();
  const leased = leasedSlots(sql`concurrency_limit.workspace`, sql`concurrency_limit.id`, sql`${now}`);
  const rows = await db.query(
    sql<LimitInUse>`select concurrency_limit.*, ${leased} as leased_slots from concurrency_limit
      where concurrency_limit."workspace" = ${db.workspace}
        and ${db.dialect.oneOf(sql`concurrency_limit.id`, ids, 'uuid')}`,
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** Creates or changes the deployment's own limit and returns its id. */
export async function setOwnLimit(context: Context, tx: Tx, deploymentId: string, limit: number): Promise<string> {
  const row = await tx.first(upsertLimit, {
    id: newId(),
    created: context.now,
    updated: context.now,
    name: PREFIX + deploymentId,
    limit,
    active: true,
    denied_slots: 0,
    slot_decay_per_second: 0,
    avg_slot_occupancy_seconds: DEFAULT_OCCUPANCY_SECONDS,
    unleased_slots: 0,
  });
  if (!row) throw new Error('A concurrency limit was neither made nor changed.');
  return row.id;
}

/** Deletes the deployment's own limit, unless it is `kept`. */
export async function deleteOwnLimit(tx: Tx, deploymentId: string, kept?: string | null): Promise<void> {
  const name = PREFIX + deploymentId;
  await (kept ? tx.run(deleteOther, { name, kept }) : limits.removeAll(tx, { name }));
}
