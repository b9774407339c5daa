/**
 * Reads the event of a state that a client's task run entered into columns. Source: the Prefect server 3.9.1, with
 * which server/test/reference compares.
 */
import type { NewRow } from '../../../database/tables/tables.ts';
import type { ValidationIssue } from '../../../errors.ts';
import type { IncomingEvent } from '../../../events/received-event.ts';
import { compileDecoder } from '../../../schema/decode.ts';
import { compileEncoder } from '../../../schema/encode.ts';
import { DateTime, Duration, Maybe, type Static, Type, Uuid } from '../../../schema/kinds.ts';
import { isUuid } from '../../../values/id.ts';
import { isJsonObject, JsonSyntaxError, type JsonText, jsonTextOf, parseObject } from '../../../values/json.ts';
import { randomRunName } from '../rows/random-name.ts';
import { normalisePolicy } from '../rows/retry-policy.ts';
import { defaultStateName, noDetails, type State } from '../rows/state.ts';
import { State as WireState } from '../rows/state-schema.ts';
import { TaskRunPolicy } from '../rows/task-run-policy.ts';
import { TaskInputs, TaskRunCreate } from './schema.ts';

const { name, task_key, dynamic_key, cache_key, cache_expiration, task_version, empirical_policy, tags, labels } =
  TaskRunCreate.properties;

const TaskRunOfEvent = Type.Object({
  name,
  task_key,
  dynamic_key,
  cache_key,
  cache_expiration,
  task_version,
  empirical_policy,
  tags,
  labels,
  task_inputs: TaskRunCreate.properties.task_inputs,
  run_count: Type.Optional(Type.Integer()),
  flow_run_run_count: Type.Optional(Type.Integer()),
  expected_start_time: Maybe(DateTime()),
  next_scheduled_start_time: Maybe(DateTime()),
  start_time: Maybe(DateTime()),
  end_time: Maybe(DateTime()),
  total_run_time: Type.Optional(Duration()),
});
type TaskRunOfEvent = Static<typeof TaskRunOfEvent>;

const { type, message, data, state_details, timestamp } = WireState.properties;
const StateOfEvent = Type.Object({
  id: Type.Optional(Uuid()),
  type,
  name: WireState.properties.name,
  timestamp,
  message,
  data,
  state_details,
});

const decodePayload = compileDecoder(Type.Object({ task_run: TaskRunOfEvent, validated_state: StateOfEvent }), 'body');
const encodePolicy = compileEncoder(TaskRunPolicy);
const encodeInputs = compileEncoder(TaskInputs);

const MAX_REASON_LENGTH = 300;

type Columns = Omit<NewRow<'task_run'>, 'id' | 'created' | 'updated' | 'flow_run_id'>;

/** Columns that an event gives. The other columns keep their values. */
type GivenColumns = Partial<Columns> & Pick<Columns, 'task_key' | 'dynamic_key'>;

/** A state that a task run entered, as reported by the client. */
export interface StateEvent {
  readonly task_run_id: string;
  readonly flow_run_id: string | null;
  readonly columns: GivenColumns;
  readonly state: State;
}

/** True for an event about the state of a task run that its client orchestrates. */
export function isStateEvent({ row, resource }: IncomingEvent): boolean {
  return row.event.startsWith('prefect.task-run') && resource['prefect.orchestration'] === 'client';
}

/** Returns the fault as text when the event cannot be read. */
export function readStateEvent({ row, related }: IncomingEvent): StateEvent | string {
  const task_run_id = idIn('prefect.task-run.', row.resource_id);
  if (task_run_id === undefined) return 'the resource is no task run';
  const flowRun = related.find((resource) => resource['prefect.resource.role'] === 'flow-run');
  const flow_run_id = flowRun ? idIn('prefect.flow-run.', flowRun['prefect.resource.id'] ?? '') : null;
  if (flow_run_id === undefined) return 'the related flow run has no id';
  const payload = decodePayload(payloadOf(row.payload));
  if (!payload.ok) return describe(payload.issues);
  const { task_run: run, validated_state: told } = payload.value;
  const details = { ...noDetails, ...told.state_details };
  const state: State = {
    id: told.id ?? row.id,
    type: told.type,
    name: told.name ?? defaultStateName(told.type),
    timestamp: told.timestamp ?? row.occurred,
    message: told.message ?? null,
    data: told.data ?? null,
    state_details:
      told.type === 'SCHEDULED' ? { ...details, scheduled_time: details.scheduled_time ?? row.received } : details,
  };
  return { task_run_id, flow_run_id, columns: columnsOf(run), state };
}

/** The first fault, for the log. It may repeat the input. */
function describe([issue]: readonly ValidationIssue[]): string {
  return `${issue?.loc.slice(1).join('.')}: ${issue?.msg}`.slice(0, MAX_REASON_LENGTH);
}

/** The id after `prefix`; undefined when the text has none. */
function idIn(prefix: string, resourceId: string): string | undefined {
  const id = resourceId.slice(prefix.length);
  return resourceId.startsWith(prefix) && isUuid(id) ? id.toLowerCase() : undefined;
}

function columnsOf(run: TaskRunOfEvent): GivenColumns {
  const { name, empirical_policy, tags, task_inputs, ...others } = run;
  return {
    ...others,
    ...(name === undefined ? {} : { name: name || randomRunName() }),
    ...(tags === undefined ? {} : { tags: jsonTextOf(tags) }),
    ...(task_inputs === undefined ? {} : { task_inputs: encodeInputs(task_inputs) as JsonText }),
    ...(empirical_policy === undefined
      ? {}
      : { empirical_policy: encodePolicy(normalisePolicy(empirical_policy)) as JsonText }),
  };
}

/** An empty object when the text is nested too deeply to parse. */
function payloadOf(text: JsonText): unknown {
  try {
    const payload = parseObject(text);
    return /\\u(0000|d[89ab])/i.test(text) ? storable(payload) : payload;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return {};
    throw error;
  }
}

/** A copy without characters that a text column cannot hold: an error with such characters must not lose the state. */
function storable(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed().replaceAll('\0', '');
  if (Array.isArray(value)) return value.map(storable);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [storable(key), storable(member)]));
}
