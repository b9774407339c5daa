import { sql } from 'kysely';
import type { SqlDialect } from '../../database/dialect.ts';
import { listedColumns } from '../../database/large-values.ts';
import { rowOf, statement } from '../../database/statement.ts';
import type { Db, Tx } from '../../database/store.ts';
import type { NewRow } from '../../database/tables.ts';
import type { Timestamp } from '../../time.ts';
import type { ListPart } from '../filters/pagination.ts';
import { flowCondition, type RelatedFilters } from '../filters/related-conditions.ts';
import { type FlowRow, findFlow } from '../lookups/flows.ts';
import type { FlowSort } from './schema.ts';

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

const markRemoved = statement<{ id: string; removed: Timestamp }, { id: string }>((query, given) =>
  query
    .updateTable('flow')
    // Another flow can take the name at once.
    .set({ removed: given.removed, name: given.id })
    .where('workspace', '=', given.workspace)
    .where('id', '=', given.id)
    .returning('id'),
);

const deleteDeployments = statement<{ id: string }, unknown>((query, given) =>
  query.deleteFrom('deployment').where('workspace', '=', given.workspace).where('flow_id', '=', given.id),
);

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

/** Deletes the flow's deployments and hides the flow; `removeFlow` removes it with its runs. Undefined without one. */
export async function markFlowRemoved(tx: Tx, id: string, removed: Timestamp): Promise<FlowRow | undefined> {
  const flow = await findFlow(tx, id);
  if (!flow || !(await tx.first(markRemoved, { id, removed }))) return undefined;
  await tx.run(deleteDeployments, { id });
  return flow;
}

export function listFlows(db: Db, filters: RelatedFilters, page: ListPart<FlowSort>): Promise<FlowRow[]> {
  return db.query(
    sql<FlowRow>`select ${listedColumns(db, 'flow')} from flow where flow."workspace" = ${db.workspace} and flow.removed is null
      and ${flowCondition(filters, db.dialect)}
      order by ${orderOf(page.sort, db.dialect)} limit ${page.limit} offset ${page.offset}`,
  );
}

export async function countFlows(db: Db, filters: RelatedFilters): Promise<number> {
  const [row] = await db.query(
    sql<{
      count: number;
    }>`select count(*) as count from flow where flow."workspace" = ${db.workspace} and flow.removed is null
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
