import { sql } from 'kysely';
import { rows } from '../../../database/rows.ts';
import { statement } from '../../../database/statement.ts';
import type { Db } from '../../../database/store.ts';
import type { Row } from '../../../database/tables/tables.ts';

export type ScheduleRow = Row<'deployment_schedule'>;

export const schedules = rows('deployment_schedule');

/** The schedules of a deployment, the last changed first. */
export const listSchedules = statement<{ deployment_id: string }, ScheduleRow>((query, given) =>
  query
    .selectFrom('deployment_schedule')
    .selectAll()
    .where('workspace', '=', given.workspace)
    .where('deployment_id', '=', given.deployment_id)
    .orderBy('updated', 'desc'),
);

/** The schedules of several deployments by the deployment's id, the last changed first. */
export async function schedulesByDeployment(
  db: Db,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly ScheduleRow[]>> {
  if (ids.length === 0) return new Map();
  const found = await db.query(
    sql<ScheduleRow>`select deployment_schedule.* from deployment_schedule
      where deployment_schedule."workspace" = ${db.workspace}
        and ${db.dialect.oneOf(sql`deployment_schedule.deployment_id`, ids, 'uuid')}
      order by deployment_schedule.updated desc`,
  );
  return Map.groupBy(found, (row) => row.deployment_id);
}
