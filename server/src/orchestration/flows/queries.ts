import { sql } from 'kysely';
import type { SqlDialect } from '../../database/dialect/dialect.ts';
import { listedColumns } from '../../database/lists/large-values.ts';
import type { Db, Tx } from '../../database/store.ts';
import type { Timestamp } from '../../values/time.ts';
import type { ListPart } from '../filters/pagination.ts';
import { flowCondition, type RelatedFilters } from '../filters/related-conditions.ts';
import { deployments } from '../lookups/deployments.ts';
import { type FlowRow, flows } from '../lookups/flows.ts';
import type { FlowSort } from './schema.ts';

/** Deletes the flow's deployments and hides the flow; `removeFlow` removes it with its runs. Undefined without one. */
export async function markFlowRemoved(tx: Tx, id: string, removed: Timestamp): Promise<FlowRow | undefined> {
  const flow = await flows.first(tx, { id });
  // Another flow can take the name at once.
  if (!flow || (await flows.changeAll(tx, { id }, { removed, name: id })) === 0) return undefined;
  await deployments.removeAll(tx, { flow_id: id });
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
