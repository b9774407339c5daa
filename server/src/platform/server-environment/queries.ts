import { sql } from 'kysely';
import { platformStatement, rowOf } from '../../database/statement.ts';
import type { Row } from '../../database/tables.ts';
import type { Variable } from './schema.ts';

export type VariableRow = Row<'server_variable'>;

type Place = Pick<VariableRow, 'server_id' | 'name'>;

/** Answers the row as it is now: the id and the time of a variable that was there already stay. */
export const putVariable = platformStatement<VariableRow, VariableRow>((query, given) =>
  query
    .insertInto('server_variable')
    .values(rowOf('server_variable', given))
    .onConflict((conflict) =>
      conflict.columns(['server_id', 'name']).doUpdateSet({
        updated: given.updated,
        encrypted_value: given.encrypted_value,
        sensitive: given.sensitive,
        description: given.description,
      }),
    )
    .returningAll(),
);

export const findVariable = platformStatement<Place, VariableRow>((query, given) =>
  query
    .selectFrom('server_variable')
    .selectAll()
    .where('server_id', '=', given.server_id)
    .where('name', '=', given.name),
);

export const deleteVariable = platformStatement<Place, unknown>((query, given) =>
  query.deleteFrom('server_variable').where('server_id', '=', given.server_id).where('name', '=', given.name),
);

export const countVariables = platformStatement<{ server_id: string }, { count: number }>((query, given) =>
  query
    .selectFrom('server_variable')
    .where('server_id', '=', given.server_id)
    .select(sql<number>`count(*)`.as('count')),
);

export const listVariablesPage = platformStatement<{ server_id: string; cursor: string; limit: number }, VariableRow>(
  (query, given) =>
    query
      .selectFrom('server_variable')
      .selectAll()
      .where('server_id', '=', given.server_id)
      .where('id', '>', given.cursor)
      .orderBy('id')
      .limit(given.limit),
);

export function variableOf(row: VariableRow): Variable {
  return {
    id: row.id,
    createdAt: row.created,
    updatedAt: row.updated,
    name: row.name,
    sensitive: row.sensitive,
    description: row.description,
  };
}
