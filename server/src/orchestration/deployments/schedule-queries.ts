import { sql } from 'kysely';
import { rowOf, statement } from '../../database/statement.ts';
import type { Db, Tx } from '../../database/store.ts';
import type { NewRow, Row } from '../../database/tables.ts';
import type { Timestamp } from '../../time.ts';

export type ScheduleRow = Row<'deployment_schedule'>;

const ofDeployment = statement<{ deployment_id: string }, ScheduleRow>((query, given) =>
  query
    .selectFrom('deployment_schedule')
    .selectAll()
    .where('workspace', '=', given.workspace)
    .where('deployment_id', '=', given.deployment_id)
    .orderBy('updated', 'desc'),
);

const insertIfAbsent = statement<NewRow<'deployment_schedule'>, Pick<ScheduleRow, 'id'>>((query, given) =>
  query
    .insertInto('deployment_schedule')
    .values(rowOf('deployment_schedule', given))
    .onConflict((conflict) =>
      conflict.columns(['workspace', 'deployment_id', 'slug']).where('slug', 'is not', null).doNothing(),
    )
    .returning('id'),
);

const deleteOne = statement<{ id: string; deployment_id: string }, unknown>((query, given) =>
  query
    .deleteFrom('deployment_schedule')
    .where('workspace', '=', given.workspace)
    .where('deployment_id', '=', given.deployment_id)
    .where('id', '=', given.id),
);

const deleteAll = statement<{ deployment_id: string }, unknown>((query, given) =>
  query
    .deleteFrom('deployment_schedule')
    .where('workspace', '=', given.workspace)
    .where('deployment_id', '=', given.deployment_id),
);

/** The schedules of a deployment, the last changed first. */
export function listSchedules(db: Db, deployment_id: string): Promise<ScheduleRow[]> {
  return db.all(ofDeployment, { deployment_id });
}

/** The schedules of several deployments by the deployment's id, the last changed first. */
export async function schedulesByDeployment(
  db: Db,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly ScheduleRow[]>> {
  if (ids.length === 0) return new Map();
  const rows = await db.query(
    sql<ScheduleRow>`select deployment_schedule.* from deployment_schedule
      where deployment_schedule."workspace" = ${db.workspace}
        and ${db.dialect.oneOf(sql`deployment_schedule.deployment_id`, ids, 'uuid')}
      order by deployment_schedule.updated desc`,
  );
  return Map.groupBy(rows, (row) => row.deployment_id);
}

/** False when the deployment already has a schedule with this slug: the unique index decides. */
export async function insertScheduleIfAbsent(tx: Tx, schedule: NewRow<'deployment_schedule'>): Promise<boolean> {
  return (await tx.first(insertIfAbsent, schedule)) !== undefined;
}

export type ScheduleChange = Partial<
  Pick<ScheduleRow, 'schedule' | 'active' | 'max_scheduled_runs' | 'parameters' | 'slug' | 'paused'>
>;

/** False when the deployment has no such schedule. Throws IntegrityConflict when the slug is taken. */
export async function updateScheduleColumns(
  tx: Tx,
  { id, deployment_id }: Pick<ScheduleRow, 'id' | 'deployment_id'>,
  change: ScheduleChange & { updated: Timestamp },
): Promise<boolean> {
  const changed = await tx.execute(
    tx.dialect.builder
      .updateTable('deployment_schedule')
      .set(change)
      .where('workspace', '=', tx.workspace)
      .where('deployment_id', '=', deployment_id)
      .where('id', '=', id),
  );
  return changed > 0;
}

/** False when the deployment has no such schedule. */
export async function deleteScheduleRow(tx: Tx, deployment_id: string, id: string): Promise<boolean> {
  return (await tx.run(deleteOne, { id, deployment_id })) > 0;
}

export async function deleteScheduleRows(tx: Tx, deployment_id: string): Promise<void> {
  await tx.run(deleteAll, { deployment_id });
}
