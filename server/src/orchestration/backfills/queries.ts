import { sql } from 'kysely';
import { rows } from '../../database/rows.ts';
import { statement } from '../../database/statement.ts';
import type { Db, Tx } from '../../database/store.ts';
import type { Row } from '../../database/tables/tables.ts';
import type { Timestamp } from '../../values/time.ts';
import { flowRuns } from '../runs/rows/flow-runs.ts';

export type BackfillRow = Row<'backfill'>;

/** Number of runs by result; dates without a run yet are `waiting`. */
interface Progress {
  readonly waiting: number;
  readonly unfinished: number;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly deleted: number;
}

export const backfills = rows('backfill');

const backfillDates = rows('backfill_date');

/** Locks the row until the transaction ends. */
export const lockBackfill = statement<{ id: string }, BackfillRow>((query, given, dialect) =>
  query
    .selectFrom('backfill')
    .selectAll()
    .where('workspace', '=', given.workspace)
    .where('id', '=', given.id)
    .modifyEnd(dialect.forUpdate),
);

/** Undefined if another process has it, or if nothing is due. */
export const claimBackfill = statement<{ id: string }, BackfillRow>((query, given, dialect) =>
  query
    .selectFrom('backfill')
    .selectAll()
    .where('workspace', '=', given.workspace)
    .where('id', '=', given.id)
    .where('status', 'in', ['RUNNING', 'CANCELLING'])
    .modifyEnd(dialect.forUpdateSkipLocked),
);

const workingIds = statement<{ after: string; limit: number }, { id: string }>(
  (_query, given) => sql`select id from backfill where "workspace" = ${given.workspace}
    and status in ('RUNNING', 'CANCELLING') and id > ${given.after} order by id limit ${given.limit}`,
);

/** The oldest dates without a run. */
export const listNextDates = statement<
  { backfill_id: string; limit: number },
  Pick<Row<'backfill_date'>, 'position' | 'date'>
>(
  (_query, given) => sql`select position, date from backfill_date where "workspace" = ${given.workspace}
    and backfill_id = ${given.backfill_id} and flow_run_id is null order by position limit ${given.limit}`,
);

const terminal = sql`('COMPLETED', 'FAILED', 'CRASHED', 'CANCELLED')`;

export const listUnfinished = statement<
  { backfill_id: string; limit: number },
  { id: string; state_type: string | null }
>(
  (_query, given) => sql`select run.id, run.state_type from backfill_date item
    join flow_run run on run.workspace = item.workspace and run.id = item.flow_run_id
    where item."workspace" = ${given.workspace} and item.backfill_id = ${given.backfill_id}
      and (run.state_type is null or run.state_type not in ${terminal})
    order by item.position limit ${given.limit}`,
);

const one = (condition: ReturnType<typeof sql>) => sql`count(case when ${condition} then 1 end)`;

const counts = (backfill: ReturnType<typeof sql>) => sql`select
    ${one(sql`item.flow_run_id is null`)} as waiting,
    ${one(sql`run.id is not null and (run.state_type is null or run.state_type not in ${terminal})`)} as unfinished,
    ${one(sql`run.state_type = 'COMPLETED'`)} as completed,
    ${one(sql`run.state_type in ('FAILED', 'CRASHED')`)} as failed,
    ${one(sql`run.state_type = 'CANCELLED'`)} as cancelled,
    ${one(sql`item.flow_run_id is not null and run.id is null`)} as deleted
  from backfill_date item
  left join flow_run run on run.workspace = item.workspace and run.id = item.flow_run_id
  where ${backfill}`;

const progress = statement<{ id: string }, Progress>(
  (_query, given) =>
    sql<Progress>`${counts(sql`item."workspace" = ${given.workspace} and item.backfill_id = ${given.id}`)}`,
);

export const listDates = statement<
  { backfill_id: string; limit: number; offset: number },
  {
    readonly date: Timestamp;
    readonly flow_run_id: string | null;
    readonly flow_run_name: string | null;
    readonly state_type: string | null;
    readonly state_name: string | null;
  }
>(
  (_query, given) => sql`select item.date, item.flow_run_id, run.name as flow_run_name, run.state_type, run.state_name
    from backfill_date item
    left join flow_run run on run.workspace = item.workspace and run.id = item.flow_run_id
    where item."workspace" = ${given.workspace} and item.backfill_id = ${given.backfill_id}
    order by item.position limit ${given.limit} offset ${given.offset}`,
);

const deploymentName = statement<{ id: string }, { name: string }>((query, given) =>
  query.selectFrom('deployment').select('name').where('workspace', '=', given.workspace).where('id', '=', given.id),
);

/** Backfills that create or cancel runs, past an id. */
export async function listWorking(db: Db, after: string, limit: number): Promise<string[]> {
  return (await db.all(workingIds, { after, limit })).map(({ id }) => id);
}

/** Stores the run of a date, with that date as the run's expected start. */
export async function giveRun(
  tx: Tx,
  { backfill_id, position, date }: Pick<Row<'backfill_date'>, 'backfill_id' | 'position' | 'date'>,
  flow_run_id: string,
): Promise<void> {
  await backfillDates.changeAll(tx, { backfill_id, position }, { flow_run_id });
  // Programs read this as the date for which the run computes; the run starts now.
  await flowRuns.changeAll(tx, { id: flow_run_id }, { expected_start_time: date });
}

export async function progressOf(db: Db, id: string): Promise<Progress> {
  const found = await db.first(progress, { id });
  if (!found) throw new Error('Counting answered no row.');
  return found;
}

export async function nameOfDeployment(db: Db, id: string): Promise<string> {
  return (await db.first(deploymentName, { id }))?.name ?? '';
}

/** Newest first, of one deployment or of all. */
export function listBackfills(
  db: Db,
  deploymentId: string | null | undefined,
  { limit, offset }: { limit: number; offset: number },
): Promise<BackfillRow[]> {
  const all = db.dialect.builder.selectFrom('backfill').selectAll().where('workspace', '=', db.workspace);
  const some = deploymentId ? all.where('deployment_id', '=', deploymentId) : all;
  return db.query(some.orderBy('created', 'desc').orderBy('id', 'desc').limit(limit).offset(offset));
}
