/**
 * Lists and counts the rows of a workspace's table: by the filter of a request, in one of the orders that it may
 * choose.
 */
import { sql } from 'kysely';
import type { Expression } from '../dialect/dialect.ts';
import type { Db } from '../store.ts';
import type { Row, TableName } from '../tables/tables.ts';
import { compileFilter, type Filter, type FilterFields } from './filters.ts';
import { listedColumns } from './large-values.ts';

interface Part<Sort> {
  readonly sort: Sort;
  readonly limit: number;
  readonly offset: number;
}

export function listing<Name extends TableName, Sort extends string>(
  table: Name,
  fields: FilterFields,
  orders: Readonly<Record<Sort, Expression>>,
) {
  const matching = (db: Db, filter: Filter | null | undefined) =>
    sql`from ${sql.table(table)} where ${sql.table(table)}."workspace" = ${db.workspace}
      and ${compileFilter(filter, fields, db.dialect)}`;
  return {
    list: (db: Db, filter: Filter | null | undefined, { sort, limit, offset }: Part<Sort>): Promise<Row<Name>[]> =>
      db.query(
        sql<Row<Name>>`select ${listedColumns(db, table)} ${matching(db, filter)}
          order by ${orders[sort]} limit ${limit} offset ${offset}`,
      ),
    count: async (db: Db, filter: Filter | null | undefined): Promise<number> => {
      const [row] = await db.query(sql<{ count: number }>`select count(*) as count ${matching(db, filter)}`);
      return row?.count ?? 0;
    },
  };
}
