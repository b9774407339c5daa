/** Writes a state to the row of its flow run. */
import { type Statement, statement } from '../../../database/statement.ts';
import type { Tx } from '../../../database/store.ts';
import type { JsonText } from '../../../values/json.ts';
import type { Timestamp } from '../../../values/time.ts';
import type { DerivedColumns } from './derived-columns.ts';

/**
 * Columns that most states do not change. Indexes contain them, and SQLite writes every index of a column that is set.
 */
const steadyColumns = [
  'run_count',
  'expected_start_time',
  'next_scheduled_start_time',
  'start_time',
  'end_time',
  'total_run_time',
] as const satisfies readonly (keyof DerivedColumns)[];

interface StateChange extends DerivedColumns {
  readonly id: string;
  readonly updated: Timestamp;
  readonly empirical_policy: JsonText;
}

/** Columns that every state sets. */
type StateColumn = 'state_id' | 'state_type' | 'state_name' | 'state_timestamp';
/** Does not compile when a column that follows from the state is in neither list. */
true satisfies Exclude<keyof DerivedColumns, StateColumn> extends (typeof steadyColumns)[number] ? true : never;

/** The updates that set some of the steady columns, by the names of those columns. */
const stateUpdates = new Map<string, Statement<StateChange, unknown>>();

function stateUpdate(changed: readonly (typeof steadyColumns)[number][]): Statement<StateChange, unknown> {
  const key = changed.join();
  const known = stateUpdates.get(key);
  if (known) return known;
  const update = statement<StateChange, unknown>(
    (query, given) =>
      query
        .updateTable('flow_run')
        .set({
          updated: given.updated,
          empirical_policy: given.empirical_policy,
          state_id: given.state_id,
          state_type: given.state_type,
          state_name: given.state_name,
          state_timestamp: given.state_timestamp,
          ...Object.fromEntries(changed.map((column) => [column, given[column]])),
        })
        .where('workspace', '=', given.workspace)
        .where('id', '=', given.id),
    { merges: 'uncounted' },
  );
  stateUpdates.set(key, update);
  return update;
}

/** `before` is the stored row. */
export async function updateFlowRunState(tx: Tx, before: DerivedColumns, change: StateChange): Promise<void> {
  await tx.run(stateUpdate(steadyColumns.filter((column) => before[column] !== change[column])), change);
}
