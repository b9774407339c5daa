/** The statements that name one row of a workspace's table by its id. */
import { sql } from 'kysely';
import { type Statement, statement } from './statement.ts';
import type { Row, TableName } from './tables.ts';

/** The tables of the Prefect API whose rows have an id. */
type TableWithId = {
  [Name in TableName]: Row<Name> extends { workspace: number; id: string } ? Name : never;
}[TableName];

interface ById {
  readonly id: string;
}

/** Reads every column of the row. */
export function selectById<Name extends TableWithId>(table: Name): Statement<ById, Row<Name>> {
  return statement<ById, Row<Name>>(
    (_query, given) =>
      sql<Row<Name>>`select * from ${sql.table(table)} where "workspace" = ${given.workspace} and id = ${given.id}`,
  );
}

/** Deletes the row. */
export function deleteById(table: TableWithId): Statement<ById, never> {
  return statement<ById, never>(
    (_query, given) =>
      sql<never>`delete from ${sql.table(table)} where "workspace" = ${given.workspace} and id = ${given.id}`,
  );
}

/** Deletes the row and returns every column of it, or no row where there was none. */
export function deleteReturningById<Name extends TableWithId>(table: Name): Statement<ById, Row<Name>> {
  return statement<ById, Row<Name>>(
    (_query, given) =>
      sql<
        Row<Name>
      >`delete from ${sql.table(table)} where "workspace" = ${given.workspace} and id = ${given.id} returning *`,
  );
}
