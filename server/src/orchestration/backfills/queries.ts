import { sql } from 'kysely';
import { selectById } from '../../database/by-id.ts';
import { rowOf, statement } from '../../database/statement.ts';
import type { Db, Tx } from '../../database/store.ts';
import type { NewRow, Row } from '../../database/tables.ts';
import type { Timestamp } from '../../time.ts';

export type BackfillRow = Row<'backfill'>;

/** Runs by what became of them; those of dates without a run yet are `waiting`. */
export interface Progress {
  readonly waiting: number;
  readonly unfinished: number;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly deleted: number;
}

const backfillById = selectById('backfill');

const claimById = statement<{ id: string }, BackfillRow>((query, given, dialect) =>
  query
    .selectFrom('backfill')
    .selectAll()
    .where('workspace', '=', given.workspace)
    .where('id', '=', given.id)
    .modifyEnd(dialect.forUpdate),
);

const claimFree = statement<{ id: string }, BackfillRow>((query, given, dialect) =>
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

const insertRow = statement<NewRow<'backfill'>, unknown>((query, given) =>
  query.insertInto('backfill').values(rowOf('backfill', given)),
);

const nextDates = statement<{ backfill_id: string; limit: number }, Pick<Row<'backfill_date'>, 'position' | 'date'>>(
  (_query, given) => sql`select position, date from backfill_date where "workspace" = ${given.workspace}
    and backfill_id = ${given.backfill_id} and flow_run_id is null order by position limit ${given.limit}`,
);

const setRun = statement<{ backfill_id: string; position: number; flow_run_id: string }, unknown>((query, given) =>
  query
    .updateTable('backfill_date')
    .set({ flow_run_id: given.flow_run_id })
    .where('workspace', '=', given.workspace)
    .where('backfill_id', '=', given.backfill_id)
    .where('position', '=', given.position),
);

/** The date for which the run computes, as programs read it; it starts now. */
const setExpectedStart = statement<{ id: string; date: Timestamp }, unknown>((query, given) =>
  query
    .updateTable('flow_run')
    .set({ expected_start_time: given.date })
    .where('workspace', '=', given.workspace)
    .where('id', '=', given.id),
);

const terminal = sql`('COMPLETED', 'FAILED', 'CRASHED', 'CANCELLED')`;

const unfinishedRuns = statement<{ backfill_id: string; limit: number }, { id: string; state_type: string | null }>(
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

const datesOf = statement<
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

export function findBackfill(db: Db, id: string): Promise<BackfillRow | undefined> {
  return db.first(backfillById, { id });
}

/** Locks the row until the transaction ends. */
export function lockBackfill(tx: Tx, id: string): Promise<BackfillRow | undefined> {
  return tx.first(claimById, { id });
}

/** Undefined where another process has it, or where there is nothing to do. */
export function claimBackfill(tx: Tx, id: string): Promise<BackfillRow | undefined> {
  return tx.first(claimFree, { id });
}

/** Backfills that create or cancel runs, past an id. */
export async function listWorking(db: Db, after: string, limit: number): Promise<string[]> {
  return (await db.all(workingIds, { after, limit })).map(({ id }) => id);
}

/** Inserts the backfill with its dates. */
export async function insertBackfill(tx: Tx, backfill: NewRow<'backfill'>, dates: readonly Timestamp[]): Promise<void> {
  await tx.run(insertRow, backfill);
  await tx.insertAll(
    'backfill_date',
    dates.map((date, position) => ({ backfill_id: backfill.id, position, date, flow_run_id: null })),
  );
}

export type BackfillChange = Partial<Pick<BackfillRow, 'status' | 'problem' | 'ended'>> & {
  readonly updated: Timestamp;
};

export async function updateBackfill(tx: Tx, id: string, change: BackfillChange): Promise<void> {
  const update = tx.dialect.builder.updateTable('backfill').set(change).where('workspace', '=', tx.workspace);
  await tx.execute(update.where('id', '=', id));
}

/** The oldest dates without a run. */
export function listNextDates(tx: Tx, backfill_id: string, limit: number) {
  return tx.all(nextDates, { backfill_id, limit });
}

/** Notes the run of a date, and that date as the run's expected start. */
export async function giveRun(
  tx: Tx,
  place: { backfill_id: string; position: number; date: Timestamp },
  flow_run_id: string,
): Promise<void> {
  await tx.run(setRun, { ...place, flow_run_id });
  await tx.run(setExpectedStart, { id: flow_run_id, date: place.date });
}

export function listUnfinished(db: Db, backfill_id: string, limit: number) {
  return db.all(unfinishedRuns, { backfill_id, limit });
}

export async function progressOf(db: Db, id: string): Promise<Progress> {
  const found = await db.first(progress, { id });
  if (!found) throw new Error('Counting answered no row.');
  return found;
}

export async function nameOfDeployment(db: Db, id: string): Promise<string> {
  return (await db.first(deploymentName, { id }))?.name ?? '';
}

export function listDates(db: Db, backfill_id: string, page: { limit: number; offset: number }) {
  return db.all(datesOf, { backfill_id, ...page });
}

/** The newest first, of one deployment or of all. */
export function listBackfills(
  db: Db,
  deploymentId: string | null | undefined,
  { limit, offset }: { limit: number; offset: number },
): Promise<BackfillRow[]> {
  const all = db.dialect.builder.selectFrom('backfill').selectAll().where('workspace', '=', db.workspace);
  const some = deploymentId ? all.where('deployment_id', '=', deploymentId) : all;
  return db.query(some.orderBy('created', 'desc').orderBy('id', 'desc').limit(limit).offset(offset));
}
