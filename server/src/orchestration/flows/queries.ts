import { sql } from 'kysely';
import type { SqlDialect } from '../../database/dialect.ts';
import { rowOf, statement } from '../../database/statement.ts';
import type { Db, Tx } from '../../database/store.ts';
import type { NewRow, Row } from '../../database/tables.ts';
import type { ListPart } from '../pagination.ts';
import { flowCondition, type RelatedFilters } from '../related-conditions.ts';
import type { FlowSort } from './schema.ts';

export type FlowRow = Row<'flow'>;

const flowById = statement<{ id: string }, FlowRow>((query, given) =>
  query.selectFrom('flow').selectAll().where('workspace', '=', given.workspace).where('id', '=', given.id),
);

const flowByName = statement<{ name: string }, FlowRow>((query, given) =>
  query.selectFrom('flow').selectAll().where('workspace', '=', given.workspace).where('name', '=', given.name),
);

const insertIfAbsent = statement<NewRow<'flow'>, FlowRow>((query, given) =>
  query
    .insertInto('flow')
    .values(rowOf('flow', given))
    .onConflict((conflict) => conflict.columns(['workspace', 'name']).doNothing())
    .returningAll(),
);

const updateTags = statement<Pick<FlowRow, 'id' | 'tags' | 'updated'>, FlowRow>((query, given) =>
  query
    .updateTable('flow')
    .set({ tags: given.tags, updated: given.updated })
    .where('workspace', '=', given.workspace)
    .where('id', '=', given.id)
    .returningAll(),
);

const deleteById = statement<{ id: string }, FlowRow>((query, given) =>
  query.deleteFrom('flow').where('workspace', '=', given.workspace).where('id', '=', given.id).returningAll(),
);

export function findFlow(db: Db, id: string): Promise<FlowRow | undefined> {
  return db.first(flowById, { id });
}

export function findFlowByName(db: Db, name: string): Promise<FlowRow | undefined> {
  return db.first(flowByName, { name });
}

/** Undefined when the name is taken: the unique index decides, so two writers cannot both win. */
export function insertFlowIfAbsent(tx: Tx, flow: NewRow<'flow'>): Promise<FlowRow | undefined> {
  return tx.first(insertIfAbsent, flow);
}

/** Undefined when there is no such flow. */
export function updateFlowTags(tx: Tx, change: Pick<FlowRow, 'id' | 'tags' | 'updated'>): Promise<FlowRow | undefined> {
  return tx.first(updateTags, change);
}

const orphanSubflowRuns = statement<{ id: string }, unknown>(
  (_query, given) =>
    sql`update flow_run set parent_task_run_id = null where "workspace" = ${given.workspace} and parent_task_run_id in
      (select task_run.id from task_run join flow_run parent on parent.workspace = task_run.workspace
        and parent.id = task_run.flow_run_id
        where task_run."workspace" = ${given.workspace} and parent.flow_id = ${given.id})`,
);

/**
 * Deletes the flow and, through its foreign keys, its runs and deployments; runs of other flows that those started stay,
 * without their parent. Undefined when there is no such flow.
 */
export async function deleteFlowRow(tx: Tx, id: string): Promise<FlowRow | undefined> {
  await tx.run(orphanSubflowRuns, { id });
  return tx.first(deleteById, { id });
}

export function listFlows(db: Db, filters: RelatedFilters, page: ListPart<FlowSort>): Promise<FlowRow[]> {
  return db.query(
    sql<FlowRow>`select flow.* from flow where flow."workspace" = ${db.workspace} and ${flowCondition(filters, db.dialect)}
      order by ${orderOf(page.sort, db.dialect)} limit ${page.limit} offset ${page.offset}`,
  );
}

export async function countFlows(db: Db, filters: RelatedFilters): Promise<number> {
  const [row] = await db.query(
    sql<{ count: number }>`select count(*) as count from flow where flow."workspace" = ${db.workspace}
      and ${flowCondition(filters, db.dialect)}`,
  );
  return row?.count ?? 0;
}

function orderOf(sort: FlowSort, dialect: SqlDialect) {
  switch (sort) {
    case 'NAME_ASC':
      return dialect.orderBy(sql`flow.name`, 'asc');
    case 'NAME_DESC':
      return dialect.orderBy(sql`flow.name`, 'desc');
    case 'CREATED_DESC':
      return dialect.orderBy(sql`flow.created`, 'desc');
    case 'UPDATED_DESC':
      return dialect.orderBy(sql`flow.updated`, 'desc');
  }
}
