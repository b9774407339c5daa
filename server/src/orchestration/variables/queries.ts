import { sql } from 'kysely';
import { deleteReturningById, selectById } from '../../database/by-id.ts';
import { compileFilter, type Filter } from '../../database/filters.ts';
import { listedColumns } from '../../database/large-values.ts';
import { rowOf, statement } from '../../database/statement.ts';
import type { Db, Tx } from '../../database/store.ts';
import type { NewRow, Row } from '../../database/tables.ts';
import type { Timestamp } from '../../time.ts';
import type { ListPart } from '../filters/pagination.ts';
import { variableFields } from './filter-fields.ts';
import type { VariableSort } from './schema.ts';

export type VariableRow = Row<'variable'>;

/** Identifies a variable by its id or by its name. */
export type VariableKey = { readonly id: string } | { readonly name: string };

const variableById = selectById('variable');

const variableByName = statement<{ name: string }, VariableRow>((query, given) =>
  query.selectFrom('variable').selectAll().where('workspace', '=', given.workspace).where('name', '=', given.name),
);

const insertIfAbsent = statement<NewRow<'variable'>, VariableRow>((query, given) =>
  query
    .insertInto('variable')
    .values(rowOf('variable', given))
    .onConflict((conflict) => conflict.columns(['workspace', 'name']).doNothing())
    .returningAll(),
);

const deleteRow = deleteReturningById('variable');

const deleteByName = statement<{ name: string }, VariableRow>((query, given) =>
  query.deleteFrom('variable').where('workspace', '=', given.workspace).where('name', '=', given.name).returningAll(),
);

export function findVariable(db: Db, key: VariableKey): Promise<VariableRow | undefined> {
  return 'id' in key ? db.first(variableById, key) : db.first(variableByName, key);
}

/** Undefined when the name is taken: the unique index decides, so two writers cannot both win. */
export function insertVariableIfAbsent(tx: Tx, variable: NewRow<'variable'>): Promise<VariableRow | undefined> {
  return tx.first(insertIfAbsent, variable);
}

export type VariableChange = Partial<Pick<VariableRow, 'name' | 'value' | 'tags'>> & { readonly updated: Timestamp };

/** Undefined when there is no such variable. Throws IntegrityConflict when the new name is taken. */
export async function updateVariableRow(
  tx: Tx,
  key: VariableKey,
  change: VariableChange,
): Promise<VariableRow | undefined> {
  const update = tx.dialect.builder.updateTable('variable').set(change).where('workspace', '=', tx.workspace);
  const chosen = 'id' in key ? update.where('id', '=', key.id) : update.where('name', '=', key.name);
  const [variable] = await tx.query(chosen.returningAll());
  return variable;
}

/** Undefined when there is no such variable. */
export function deleteVariableRow(tx: Tx, key: VariableKey): Promise<VariableRow | undefined> {
  return 'id' in key ? tx.first(deleteRow, key) : tx.first(deleteByName, key);
}

const orders = {
  NAME_ASC: sql`variable.name asc`,
  NAME_DESC: sql`variable.name desc`,
  CREATED_DESC: sql`variable.created desc, variable.id desc`,
  UPDATED_DESC: sql`variable.updated desc, variable.id desc`,
} as const;

export function listVariables(
  db: Db,
  filter: Filter | null | undefined,
  page: ListPart<VariableSort>,
): Promise<VariableRow[]> {
  return db.query(
    sql<VariableRow>`select ${listedColumns(db, 'variable')} from variable where variable."workspace" = ${db.workspace}
      and ${compileFilter(filter, variableFields, db.dialect)}
      order by ${orders[page.sort]} limit ${page.limit} offset ${page.offset}`,
  );
}

export async function countVariables(db: Db, filter: Filter | null | undefined): Promise<number> {
  const [row] = await db.query(
    sql<{ count: number }>`select count(*) as count from variable where variable."workspace" = ${db.workspace}
      and ${compileFilter(filter, variableFields, db.dialect)}`,
  );
  return row?.count ?? 0;
}
