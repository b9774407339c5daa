/** Writes states as rows and reads them from a join. */
import { sql } from 'kysely';
import { listedColumn } from '../../../database/lists/large-values.ts';
import { rowOf, statement } from '../../../database/statement.ts';
import type { Db, Tx } from '../../../database/store.ts';
import type { NewRow } from '../../../database/tables/tables.ts';
import { compileEncoder } from '../../../schema/encode.ts';
import { isJsonObject, type JsonText, jsonTextOf, parseObject } from '../../../values/json.ts';
import { type Timestamp, timestampFromWire } from '../../../values/time.ts';
import type { StateType } from '../../filters/field-schema.ts';
import { noDetails, type State } from './state.ts';
import { StateDetails } from './state-schema.ts';

const encodeDetails = compileEncoder(StateDetails);

export function detailsText(details: StateDetails): JsonText {
  return encodeDetails(details) as JsonText;
}

/** Stored details are in wire form: times without a zero fraction, the keyset as an object. */
export function readDetails(text: JsonText): StateDetails {
  const details = parseObject(text) as unknown as StateDetails;
  const { scheduled_time, cache_expiration, pause_timeout, run_input_keyset } = details;
  return {
    ...details,
    scheduled_time: scheduled_time ? timestampFromWire(scheduled_time) : null,
    cache_expiration: cache_expiration ? timestampFromWire(cache_expiration) : null,
    pause_timeout: pause_timeout ? timestampFromWire(pause_timeout) : null,
    run_input_keyset: isJsonObject(run_input_keyset) ? jsonTextOf(run_input_keyset) : null,
  };
}

/** Columns of the state that a query joins as `state`, with names that differ from those of the run. */
export const stateColumns = sql`state.type as joined_type, state.name as joined_name,
  state.timestamp as joined_timestamp, state.message as joined_message, state.data as joined_data,
  state.state_details as joined_details`;

/** Like `stateColumns`, for a list of runs, whose answer contains the large values unchanged. */
export function listedStateColumns(db: Db, table: 'flow_run_state' | 'task_run_state') {
  const large = (column: string) => listedColumn(db, table, column, { alias: 'state', as: `joined_${column}` });
  return sql`state.type as joined_type, ${large('name')}, state.timestamp as joined_timestamp, ${large('message')},
    ${large('data')}, ${listedColumn(db, table, 'state_details', { alias: 'state', as: 'joined_details' })}`;
}

/** A row of a query that selects `stateColumns` beside a run. */
export interface JoinedState {
  readonly state_id: string | null;
  readonly joined_type: StateType | null;
  readonly joined_name: string | null;
  readonly joined_timestamp: Timestamp | null;
  readonly joined_message: string | null;
  readonly joined_data: JsonText | null;
  readonly joined_details: JsonText | null;
}

export const noState: JoinedState = {
  state_id: null,
  joined_type: null,
  joined_name: null,
  joined_timestamp: null,
  joined_message: null,
  joined_data: null,
  joined_details: null,
};

/** A state just written, in the form of a join. */
export function joinedState(state: State): JoinedState {
  return {
    state_id: state.id,
    joined_type: state.type,
    joined_name: state.name,
    joined_timestamp: state.timestamp,
    joined_message: state.message,
    joined_data: state.data,
    joined_details: detailsText(state.state_details),
  };
}

/** The joined state in the form of an answer, with its details as text; null when the run has none. */
export function wireState(row: JoinedState) {
  if (row.joined_type === null) return null;
  return {
    id: row.state_id,
    type: row.joined_type,
    name: row.joined_name,
    timestamp: row.joined_timestamp,
    message: row.joined_message,
    data: row.joined_data,
    state_details: row.joined_details,
  };
}

/** The joined state in the form of rules; undefined when the run has none. */
export function stateOf(row: JoinedState): State | undefined {
  if (row.joined_type === null) return undefined;
  return {
    id: row.state_id!,
    type: row.joined_type,
    name: row.joined_name!,
    timestamp: row.joined_timestamp!,
    message: row.joined_message,
    data: row.joined_data,
    state_details: row.joined_details === null ? noDetails : readDetails(row.joined_details),
  };
}

/** A new state, in the columns of its row. */
export function stateRow(state: State) {
  return {
    id: state.id,
    type: state.type,
    name: state.name,
    timestamp: state.timestamp,
    message: state.message,
    data: state.data,
    state_details: detailsText(state.state_details),
  };
}

const insertForFlowRun = statement<NewRow<'flow_run_state'>, unknown>(
  (query, given) => query.insertInto('flow_run_state').values(rowOf('flow_run_state', given)),
  { merges: 'uncounted' },
);

const insertForTaskRun = statement<NewRow<'task_run_state'>, unknown>(
  (query, given) => query.insertInto('task_run_state').values(rowOf('task_run_state', given)),
  { merges: 'uncounted' },
);

export async function insertFlowRunState(tx: Tx, flow_run_id: string, state: State): Promise<void> {
  await tx.run(insertForFlowRun, { ...stateRow(state), flow_run_id });
}

export async function insertTaskRunState(tx: Tx, task_run_id: string, state: State): Promise<void> {
  await tx.run(insertForTaskRun, { ...stateRow(state), task_run_id });
}
