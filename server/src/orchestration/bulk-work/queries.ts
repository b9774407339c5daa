import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { deletionOfSome } from '../../database/delete-found.ts';
import { rows } from '../../database/rows.ts';
import { statement } from '../../database/statement.ts';
import type { Db, Tx } from '../../database/store.ts';
import type { Row } from '../../database/tables/tables.ts';
import { jsonTextOf, parseJson } from '../../values/json.ts';
import type { Timestamp } from '../../values/time.ts';
import { flowRunCondition } from '../filters/related-conditions.ts';
import { flowRunNarrowing } from '../views/narrowing/flow-run-fields.ts';
import { narrow } from '../views/narrowing/narrow.ts';
import { withIdsForNames } from '../views/runs/ids-for-names.ts';
import { MOST_RUNS, type RunsMatching } from './schema.ts';

export type BulkWorkRow = Row<'bulk_work'>;

export const bulkWorks = rows('bulk_work');

const parts = rows('bulk_work_part');

/** Ids in one part: a step reads one part for each run. */
const PART = 200;
/** Unfinished works of one workspace. */
export const MOST_UNFINISHED = 100;
const LISTED = 50;

/** Locks the row until the transaction ends. */
export const lockBulkWork = statement<{ id: string }, BulkWorkRow>((query, given, dialect) =>
  query
    .selectFrom('bulk_work')
    .selectAll()
    .where('workspace', '=', given.workspace)
    .where('id', '=', given.id)
    .modifyEnd(dialect.forUpdate),
);

/** Undefined if another process has it, if it has ended, or if it begins later. */
export const claimBulkWork = statement<{ id: string; now: Timestamp }, BulkWorkRow>((query, given, dialect) =>
  query
    .selectFrom('bulk_work')
    .selectAll()
    .where('workspace', '=', given.workspace)
    .where('id', '=', given.id)
    .where('status', 'in', ['SCHEDULED', 'RUNNING'])
    .where('starts_at', '<=', given.now)
    .modifyEnd(dialect.forUpdateSkipLocked),
);

const unfinished = statement<{ limit: number }, Pick<BulkWorkRow, 'id' | 'starts_at'>>(
  (_query, given) => sql`select id, starts_at from bulk_work where "workspace" = ${given.workspace}
    and status in ('SCHEDULED', 'RUNNING') order by id limit ${given.limit}`,
);

/** The works that have not ended, oldest first. */
export function listUnfinished(db: Db): Promise<Pick<BulkWorkRow, 'id' | 'starts_at'>[]> {
  return db.all(unfinished, { limit: MOST_UNFINISHED });
}

const newest = statement<{ limit: number }, BulkWorkRow>(
  (_query, given) => sql`select * from bulk_work where "workspace" = ${given.workspace}
    order by created desc, id desc limit ${given.limit}`,
);

export function listNewest(db: Db): Promise<BulkWorkRow[]> {
  return db.all(newest, { limit: LISTED });
}

/** Its parts went when it ended. */
export const deleteWorksBefore = deletionOfSome<{ before: Timestamp; limit: number }>(
  'bulk_work',
  'id',
  ({ before, limit }) => sql`and created < ${before} and ended is not null order by created limit ${limit}`,
);

/** The ids of these runs that exist in the workspace, each once, in their order. */
export async function existingIds(db: Db, ids: readonly string[]): Promise<string[]> {
  return idsOf(
    await db.query(
      sql<{ id: string }>`select id from flow_run where "workspace" = ${db.workspace}
        and ${db.dialect.oneOf(sql`id`, ids, 'uuid')} order by id`,
    ),
  );
}

/** The ids of all runs that match, in their order. Undefined if there are more than `MOST_RUNS`. */
export async function matchingIds(context: Context, matching: RunsMatching): Promise<string[] | undefined> {
  const { db } = context;
  const { where, ...asked } = matching;
  const filters = await narrow(context, flowRunNarrowing, await withIdsForNames(db, asked), where);
  const condition = flowRunCondition(filters, db.dialect);
  const found = await db.query(
    sql<{ id: string }>`select id from (select flow_run.id from flow_run
      where flow_run."workspace" = ${db.workspace} and ${condition} limit ${MOST_RUNS + 1}) found order by id`,
  );
  return found.length > MOST_RUNS ? undefined : idsOf(found);
}

const idsOf = (found: readonly { readonly id: string }[]) => found.map(({ id }) => id);

export function insertParts(tx: Tx, bulk_work_id: string, ids: readonly string[]): Promise<void> {
  const count = Math.ceil(ids.length / PART);
  return tx.insertAll(
    'bulk_work_part',
    Array.from({ length: count }, (_, number) => ({
      bulk_work_id,
      number,
      flow_run_ids: jsonTextOf(ids.slice(number * PART, (number + 1) * PART)),
    })),
  );
}

/** The run at a position from 0; undefined after the last. */
export async function runAt(db: Db, bulk_work_id: string, position: number): Promise<string | undefined> {
  const part = await parts.first(db, { bulk_work_id, number: Math.floor(position / PART) });
  return part && (parseJson(part.flow_run_ids) as string[])[position % PART];
}

export async function deleteParts(tx: Tx, bulk_work_id: string): Promise<void> {
  await parts.removeAll(tx, { bulk_work_id });
}

export type RunToChange = Pick<Row<'flow_run'>, 'id' | 'name' | 'state_type' | 'deployment_id'>;

const runToChange = statement<{ id: string }, RunToChange>((query, given) =>
  query
    .selectFrom('flow_run')
    .select(['id', 'name', 'state_type', 'deployment_id'])
    .where('workspace', '=', given.workspace)
    .where('id', '=', given.id),
);

/** The run, which no other transaction changes until this one ends. */
export async function lockRun(tx: Tx, id: string) {
  await tx.lock('flow_run', id);
  return tx.first(runToChange, { id });
}
