/** The order of a list of runs, for the sorts that flow runs and task runs share. */
import { sql } from 'kysely';
import type { Expression, SqlDialect } from '../../../database/dialect/dialect.ts';

type RunSort =
  | 'ID_DESC'
  | 'EXPECTED_START_TIME_ASC'
  | 'EXPECTED_START_TIME_DESC'
  | 'NAME_ASC'
  | 'NAME_DESC'
  | 'NEXT_SCHEDULED_START_TIME_ASC'
  | 'END_TIME_DESC';

export function runOrder(table: 'flow_run' | 'task_run', sort: RunSort, dialect: SqlDialect): Expression {
  const column = (name: string) => sql.ref(`${table}.${name}`);
  switch (sort) {
    case 'ID_DESC':
      return sql`${column('id')} desc`;
    case 'EXPECTED_START_TIME_ASC':
      return dialect.orderBy(column('expected_start_time'), 'asc');
    case 'EXPECTED_START_TIME_DESC':
      return dialect.orderBy(column('expected_start_time'), 'desc');
    case 'NAME_ASC':
      return sql`${column('name')} asc`;
    case 'NAME_DESC':
      return sql`${column('name')} desc`;
    case 'NEXT_SCHEDULED_START_TIME_ASC':
      return dialect.orderBy(column('next_scheduled_start_time'), 'asc');
    case 'END_TIME_DESC':
      return dialect.orderBy(column('end_time'), 'desc');
  }
}
