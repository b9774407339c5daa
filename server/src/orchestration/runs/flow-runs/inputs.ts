/** Texts that a running flow reads or a paused one waits for. Source: reference behaviour, "inputs". */
import { sql } from 'kysely';
import type { Context } from '../../../context.ts';
import { rowOf, statement } from '../../../database/statement.ts';
import type { Db, Tx } from '../../../database/store.ts';
import type { NewRow, Row } from '../../../database/tables.ts';
import { Conflict, NotFound } from '../../../errors.ts';
import { newTimeOrderedId } from '../../../id.ts';

export type FlowRunInputRow = Row<'flow_run_input'>;

export interface NewInput {
  readonly key: string;
  readonly value: string;
  /** Who sends it, for example `prefect.flow-run.<id>`. */
  readonly sender?: string | null | undefined;
}

const inputByKey = statement<{ flow_run_id: string; key: string }, FlowRunInputRow>((query, given) =>
  query
    .selectFrom('flow_run_input')
    .selectAll()
    .where('workspace', '=', given.workspace)
    .where('flow_run_id', '=', given.flow_run_id)
    .where('key', '=', given.key),
);

const insertIfAbsent = statement<NewRow<'flow_run_input'>, Pick<FlowRunInputRow, 'id'>>((query, given) =>
  query
    .insertInto('flow_run_input')
    .values(rowOf('flow_run_input', given))
    .onConflict((conflict) => conflict.columns(['workspace', 'flow_run_id', 'key']).doNothing())
    .returning('id'),
);

const deleteByKey = statement<{ flow_run_id: string; key: string }, unknown>((query, given) =>
  query
    .deleteFrom('flow_run_input')
    .where('workspace', '=', given.workspace)
    .where('flow_run_id', '=', given.flow_run_id)
    .where('key', '=', given.key),
);

const idOfFlowRun = statement<{ id: string }, { id: string }>((query, given) =>
  query.selectFrom('flow_run').select('id').where('workspace', '=', given.workspace).where('id', '=', given.id),
);

/** Undefined when the run has no such input, or is not there. */
export function findInput(db: Db, flow_run_id: string, key: string): Promise<FlowRunInputRow | undefined> {
  return db.first(inputByKey, { flow_run_id, key });
}

/** False when the run has an input with this key. The run must be there. */
export async function insertInput(context: Context, tx: Tx, flow_run_id: string, input: NewInput): Promise<boolean> {
  const inserted = await tx.first(insertIfAbsent, {
    id: newTimeOrderedId(),
    created: context.now,
    updated: context.now,
    flow_run_id,
    key: input.key,
    value: input.value,
    sender: input.sender ?? null,
  });
  return inserted !== undefined;
}

/** Throws NotFound for a run that is not there, Conflict for a key that is taken. */
export function createInput(context: Context, flow_run_id: string, input: NewInput): Promise<void> {
  return context.transaction(async (tx) => {
    if (!(await tx.first(idOfFlowRun, { id: flow_run_id }))) throw new NotFound('Flow run not found');
    if (!(await insertInput(context, tx, flow_run_id, input))) {
      throw new Conflict('A flow run input with this key already exists.');
    }
  });
}

export interface InputFilter {
  /** What keys begin with; `%` and `_` are wildcards, as in the reference. */
  readonly prefix: string;
  /** Below zero: all there are. */
  readonly limit: number;
  readonly exclude_keys: readonly string[];
}

const ALL = Number.MAX_SAFE_INTEGER;

/** Oldest first; empty for a run that is not there. */
export function listInputs(db: Db, flow_run_id: string, { prefix, limit, exclude_keys }: InputFilter) {
  const { dialect } = db;
  const key = sql`input.key`;
  const notExcluded = exclude_keys.length > 0 ? sql`and not ${dialect.oneOf(key, exclude_keys, 'text')}` : sql``;
  return db.query(
    sql<FlowRunInputRow>`select input.* from flow_run_input input where input."workspace" = ${db.workspace}
      and input.flow_run_id = ${flow_run_id} and ${dialect.startsWith(key, prefix)} ${notExcluded}
      order by input.created, input.id limit ${limit < 0 ? ALL : Math.min(limit, ALL)}`,
  );
}

/** Throws NotFound. */
export function deleteInput(context: Context, flow_run_id: string, key: string): Promise<void> {
  return context.transaction(async (tx) => {
    if ((await tx.run(deleteByKey, { flow_run_id, key })) === 0) throw new NotFound('Flow run input not found');
  });
}
