/**
 * Texts that a running flow reads or a paused flow waits for.
 * Source: `POST /flow_runs/{id}/input` and `POST /flow_runs/{id}/input/filter` of the Prefect server 3.9.1.
 */
import { sql } from 'kysely';
import type { Context } from '../../../context/context.ts';
import { listedColumns } from '../../../database/lists/large-values.ts';
import { rows } from '../../../database/rows.ts';
import { statement } from '../../../database/statement.ts';
import type { Db, Tx } from '../../../database/store.ts';
import type { Row } from '../../../database/tables/tables.ts';
import { Conflict, found } from '../../../errors.ts';
import { newTimeOrderedId } from '../../../values/id.ts';
import { MISSING } from '../rows/flow-runs.ts';

type FlowRunInputRow = Row<'flow_run_input'>;

export const flowRunInputs = rows('flow_run_input');
/** Does not read a value back, which may be large. */
const written = rows('flow_run_input', { without: ['value'] });

export const MISSING_INPUT = 'Flow run input not found';

interface NewInput {
  readonly key: string;
  readonly value: string;
  /** The sender, for example `prefect.flow-run.<id>`. */
  readonly sender?: string | null | undefined;
}

const idOfFlowRun = statement<{ id: string }, { id: string }>((query, given) =>
  query.selectFrom('flow_run').select('id').where('workspace', '=', given.workspace).where('id', '=', given.id),
);

/** False when the run has an input with this key. The run must exist. */
export async function insertInput(context: Context, tx: Tx, flow_run_id: string, input: NewInput): Promise<boolean> {
  const inserted = await written.insertUnlessThere(tx, {
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

/** Throws NotFound when the run does not exist, Conflict when the key is taken. */
export function createInput(context: Context, flow_run_id: string, input: NewInput): Promise<void> {
  return context.transaction(async (tx) => {
    found(await tx.first(idOfFlowRun, { id: flow_run_id }), MISSING);
    if (!(await insertInput(context, tx, flow_run_id, input))) {
      throw new Conflict('A flow run input with this key already exists.');
    }
  });
}

interface InputFilter {
  /** The beginning of the keys. `%` and `_` are wildcards, as on the Prefect server. */
  readonly prefix: string;
  /** A negative limit returns all inputs. */
  readonly limit: number;
  readonly exclude_keys: readonly string[];
}

const ALL = Number.MAX_SAFE_INTEGER;

/** Oldest first. Empty when the run does not exist. */
export function listInputs(db: Db, flow_run_id: string, { prefix, limit, exclude_keys }: InputFilter) {
  const { dialect } = db;
  const key = sql`flow_run_input.key`;
  const notExcluded = exclude_keys.length > 0 ? sql`and not ${dialect.oneOf(key, exclude_keys, 'text')}` : sql``;
  return db.query(
    sql<FlowRunInputRow>`select ${listedColumns(db, 'flow_run_input')} from flow_run_input where flow_run_input."workspace" = ${db.workspace}
      and flow_run_input.flow_run_id = ${flow_run_id} and ${dialect.startsWith(key, prefix)} ${notExcluded}
      order by flow_run_input.created, flow_run_input.id limit ${limit < 0 ? ALL : Math.min(limit, ALL)}`,
  );
}
