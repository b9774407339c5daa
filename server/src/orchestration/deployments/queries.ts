import { sql } from 'kysely';
import type { SqlDialect } from '../../database/dialect/dialect.ts';
import { listedColumns } from '../../database/lists/large-values.ts';
import { statement } from '../../database/statement.ts';
import type { Db, Tx } from '../../database/store.ts';
import type { NewRow, Row } from '../../database/tables/tables.ts';
import type { JsonText } from '../../values/json.ts';
import type { Timestamp } from '../../values/time.ts';
import type { ListPart } from '../filters/pagination.ts';
import { deploymentCondition, type RelatedFilters } from '../filters/related-conditions.ts';
import type { DeploymentSort } from './schema.ts';

type DeploymentRow = Row<'deployment'>;

/** A deployment with the fields of its flow, queue, pool and limit that answers and events name; null without one. */
export interface Deployment extends DeploymentRow {
  readonly flow_name: string;
  /** Null when the queue was deleted, although the row still has its name. */
  readonly queue_id: string | null;
  readonly queue_name: string | null;
  readonly work_pool_id: string | null;
  readonly work_pool_name: string | null;
  readonly work_pool_type: string | null;
  readonly base_job_template: JsonText | null;
  /** Null when the limit was deleted, like `queue_id`. */
  readonly limit_id: string | null;
}

const joinedColumns = sql`flow.name as flow_name, work_queue.id as queue_id, work_queue.name as queue_name,
  work_pool.id as work_pool_id, work_pool.name as work_pool_name, work_pool.type as work_pool_type,
  work_pool.base_job_template as base_job_template, concurrency_limit.id as limit_id`;

const columns = sql`deployment.*, ${joinedColumns}`;

const joins = sql`join flow on flow.workspace = deployment.workspace and flow.id = deployment.flow_id
  left join work_queue on work_queue.workspace = deployment.workspace and work_queue.id = deployment.work_queue_id
  left join work_pool on work_pool.workspace = work_queue.workspace and work_pool.id = work_queue.work_pool_id
  left join concurrency_limit on concurrency_limit.workspace = deployment.workspace
    and concurrency_limit.id = deployment.concurrency_limit_id`;

const deploymentById = statement<{ id: string }, Deployment>(
  (_query, given) =>
    sql<Deployment>`select ${columns} from deployment ${joins}
      where deployment."workspace" = ${given.workspace} and deployment.id = ${given.id}`,
);

export const findDeploymentByNames = statement<{ flow_name: string; name: string }, Deployment>(
  (_query, given) =>
    sql<Deployment>`select ${columns} from deployment ${joins} where deployment."workspace" = ${given.workspace}
      and flow.name = ${given.flow_name} and deployment.name = ${given.name}`,
);

const idOfDeployment = statement<{ id: string }, Pick<DeploymentRow, 'id'>>((query, given) =>
  query.selectFrom('deployment').select('id').where('workspace', '=', given.workspace).where('id', '=', given.id),
);

const due = statement<{ now: Timestamp; limit: number }, Pick<DeploymentRow, 'id'>>((query, given) =>
  query
    .selectFrom('deployment')
    .select('id')
    .where('workspace', '=', given.workspace)
    .where('schedule_due', '<=', given.now)
    .orderBy('schedule_due')
    .limit(given.limit),
);

const claimDue = statement<{ id: string; now: Timestamp }, Pick<DeploymentRow, 'id'>>(
  (_query, given, dialect) =>
    sql<
      Pick<DeploymentRow, 'id'>
    >`select deployment.id from deployment where deployment."workspace" = ${given.workspace}
      and deployment.id = ${given.id} and deployment.schedule_due <= ${given.now} ${dialect.forUpdateSkipLocked}`,
);

/** Deployments whose schedules are due for a check, the longest waiting first. */
export async function listDueDeployments(db: Db, now: Timestamp, limit: number): Promise<string[]> {
  return (await db.all(due, { now, limit })).map(({ id }) => id);
}

/** Locks the deployment and returns it; undefined when another replica processes its schedules, or already did. */
export async function claimDueDeployment(tx: Tx, id: string, now: Timestamp): Promise<Deployment | undefined> {
  return (await tx.first(claimDue, { id, now })) && findDeployment(tx, id);
}

export async function hasDeployment(db: Db, id: string): Promise<boolean> {
  return (await db.first(idOfDeployment, { id })) !== undefined;
}

export function findDeployment(db: Db, id: string): Promise<Deployment | undefined> {
  return db.first(deploymentById, { id });
}

/** Reads a deployment that is about to change, and locks it against other changes. */
export async function findDeploymentForChange(tx: Tx, id: string): Promise<Deployment | undefined> {
  const [, deployment] = await Promise.all([tx.lock('deployment', id), findDeployment(tx, id)]);
  return deployment;
}

/** All columns of a deployment that can change. */
export type DeploymentChange = Partial<Omit<NewRow<'deployment'>, 'id' | 'created' | 'flow_id' | 'name'>>;

/** Compiled for each change: keeping a statement for each combination of columns would create too many. */
export async function updateDeploymentColumns(tx: Tx, id: string, change: DeploymentChange): Promise<void> {
  await tx.execute(
    tx.dialect.builder.updateTable('deployment').set(change).where('workspace', '=', tx.workspace).where('id', '=', id),
  );
}

/** The page is cut on ids first and joined afterwards, so a deep offset reads the index instead of the rows. */
export function listDeployments(
  db: Db,
  filters: RelatedFilters,
  page: ListPart<DeploymentSort>,
): Promise<Deployment[]> {
  const { dialect } = db;
  const order = orderOf(page.sort, dialect);
  return db.query(
    sql<Deployment>`select ${listedColumns(db, 'deployment')}, ${joinedColumns} from
      (select deployment.id from deployment where deployment."workspace" = ${db.workspace}
        and ${deploymentCondition(filters, dialect)} order by ${order} limit ${page.limit} offset ${page.offset}) page
      ${dialect.joinInOrder} deployment on deployment.workspace = ${db.workspace} and deployment.id = page.id
      ${joins} order by ${order}`,
  );
}

export async function countDeployments(db: Db, filters: RelatedFilters): Promise<number> {
  const [row] = await db.query(
    sql<{ count: number }>`select count(*) as count from deployment where deployment."workspace" = ${db.workspace}
      and ${deploymentCondition(filters, db.dialect)}`,
  );
  return row?.count ?? 0;
}

function orderOf(sort: DeploymentSort, dialect: SqlDialect) {
  switch (sort) {
    case 'NAME_ASC':
      return dialect.orderBy(sql`deployment.name`, 'asc');
    case 'NAME_DESC':
      return dialect.orderBy(sql`deployment.name`, 'desc');
    case 'CREATED_DESC':
      return dialect.orderBy(sql`deployment.created`, 'desc');
    case 'UPDATED_DESC':
      return dialect.orderBy(sql`deployment.updated`, 'desc');
  }
}

/** Locks the deployments in `ids` that are not ready until the transaction ends, and returns them. */
export async function listUnready(tx: Tx, ids: readonly string[]): Promise<Deployment[]> {
  const unready = await tx.query(
    sql<{ id: string }>`select deployment.id from deployment where deployment."workspace" = ${tx.workspace}
      and deployment.status <> 'READY' and ${tx.dialect.oneOf(sql`deployment.id`, ids, 'uuid')} order by deployment.id`,
  );
  const locked: Deployment[] = [];
  for (const { id } of unready) {
    const deployment = await findDeploymentForChange(tx, id);
    if (deployment && deployment.status !== 'READY') locked.push(deployment);
  }
  return locked;
}

/**
 * Records that a runner polled for runs of these deployments. `updated` stays, because the deployments themselves did
 * not change.
 */
export async function markPolled(tx: Tx, ids: readonly string[], now: Timestamp): Promise<void> {
  await tx.execute(
    sql`update deployment set last_polled = ${now}, status = 'READY'
      where "workspace" = ${tx.workspace} and ${tx.dialect.oneOf(sql`deployment.id`, ids, 'uuid')}`,
  );
}
