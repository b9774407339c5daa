import { sql } from 'kysely';
import { rows } from '../../../database/rows.ts';
import { platformStatement, rowOf } from '../../../database/statement.ts';
import type { Row } from '../../../database/tables/tables.ts';
import { answerOf } from '../../answer-of.ts';
import { Variable } from './schema.ts';

export type VariableRow = Row<'server_variable'>;

export const serverVariables = rows('server_variable');

export const variableOf = answerOf(Variable);

/** Returns the current row: the id and the time of an existing variable stay. */
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

export const countVariables = platformStatement<{ server_id: string }, { count: number }>((query, given) =>
  query
    .selectFrom('server_variable')
    .where('server_id', '=', given.server_id)
    .select(sql<number>`count(*)`.as('count')),
);
