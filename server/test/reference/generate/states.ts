import { isParsedObject, type Parsed } from '../wire/json-text.ts';
import type { Symbolic, SymbolicObject } from './symbols.ts';
import type { World } from './world.ts';

export const STATE_TYPES = [
  'SCHEDULED',
  'PENDING',
  'RUNNING',
  'COMPLETED',
  'FAILED',
  'CANCELLED',
  'CRASHED',
  'PAUSED',
  'CANCELLING',
] as const;
export type StateType = (typeof STATE_TYPES)[number];

/** Names with a meaning in the state machine or to clients, and one without. */
export const STATE_NAMES: Readonly<Record<StateType, readonly string[]>> = {
  SCHEDULED: ['Late', 'AwaitingRetry', 'Resuming', 'AwaitingConcurrencySlot', 'Scheduled'],
  PENDING: ['Submitting', 'InfrastructurePending', 'Pending'],
  RUNNING: ['Retrying', 'Rerunning'],
  COMPLETED: ['Cached', 'RolledBack', 'Skipped Today'],
  FAILED: ['TimedOut'],
  CANCELLED: ['Custom'],
  CRASHED: ['Custom'],
  PAUSED: ['Suspended', 'NotReady'],
  CANCELLING: ['Custom'],
};

/** The usual next states of a run: walks that only jump end in a final state too soon. */
const USUAL_NEXT: Readonly<Record<StateType, readonly StateType[]>> = {
  SCHEDULED: ['PENDING', 'PENDING', 'RUNNING', 'SCHEDULED', 'CANCELLING', 'CANCELLED'],
  PENDING: ['RUNNING', 'RUNNING', 'PENDING', 'CANCELLING', 'CRASHED'],
  RUNNING: ['COMPLETED', 'FAILED', 'FAILED', 'PAUSED', 'PAUSED', 'CANCELLING', 'CRASHED', 'RUNNING'],
  PAUSED: ['RUNNING', 'SCHEDULED', 'CANCELLING', 'PAUSED', 'FAILED'],
  CANCELLING: ['CANCELLED', 'CANCELLED', 'RUNNING', 'CANCELLING'],
  COMPLETED: ['RUNNING', 'SCHEDULED', 'PENDING', 'FAILED', 'COMPLETED'],
  FAILED: ['SCHEDULED', 'RUNNING', 'PENDING', 'COMPLETED'],
  CRASHED: ['SCHEDULED', 'RUNNING', 'PENDING'],
  CANCELLED: ['SCHEDULED', 'RUNNING', 'PENDING'],
};

export function nextType(world: World, current: Symbolic | undefined): StateType {
  const usual = USUAL_NEXT[current as StateType] as readonly StateType[] | undefined;
  return world.random.pick(usual && world.random.chance(0.7) ? usual : STATE_TYPES);
}

/** A proposed state of the given type, with names, data and details that the rules read. */
export function drawState(world: World, type: StateType): SymbolicObject {
  const state = drawInitialState(world, type);
  if (world.random.chance(0.25)) state.data = drawData(world);
  return state;
}

/**
 * A state to create a run with: without data, because the reference fails (500) to create a run whose state has a
 * result.
 */
export function drawInitialState(world: World, type: StateType): SymbolicObject {
  const { random } = world;
  const state: SymbolicObject = { type };
  if (random.chance(0.3)) state.name = random.pick(STATE_NAMES[type]);
  if (random.chance(0.4)) state.message = random.pick(['done', '', 'ünï ☂', null, 'two\nlines']);
  const details = drawDetails(world, type);
  if (Object.keys(details).length > 0 || random.chance(0.1)) state.state_details = details;
  return state;
}

/** Results as clients of several versions send them, and JSON that is not a result. */
function drawData(world: World): Symbolic {
  return world.random.pick<Symbolic>([
    null,
    { type: 'unpersisted' },
    { type: 'unpersisted', artifact_type: 'result', artifact_description: 'kept?' },
    { type: 'result', storage_key: 'k', expiration: null },
    { type: 'reference', artifact_key: 'result-key', artifact_type: 'result', artifact_description: 'text' },
    { storage_key: 'no-type', prefect_version: '3.9.1' },
    world.json(),
  ]);
}

function drawDetails(world: World, type: StateType): SymbolicObject {
  const { random } = world;
  const details: SymbolicObject = {};
  if (type === 'SCHEDULED' && random.chance(0.8))
    details.scheduled_time = random.chance(0.7) ? world.past() : world.future();
  if (type === 'PAUSED') {
    if (random.chance(0.85)) details.pause_timeout = random.chance(0.75) ? world.future() : world.past();
    if (random.chance(0.5)) details.pause_reschedule = random.chance(0.5);
    if (random.chance(0.6)) details.pause_key = random.pick(['key-1', 'key-2', world.word()]);
    if (random.chance(0.15)) details.run_input_keyset = { schema: 'paused-1-schema', response: 'paused-1-response' };
  }
  if (random.chance(0.12)) details.transition_id = random.chance(0.6) ? TRANSITION_ID : random.uuid();
  if (random.chance(0.12)) details.cache_key = random.pick(['cache-a', 'cache-b', 'c'.repeat(2001)]);
  if (details.cache_key && random.chance(0.5))
    details.cache_expiration = random.chance(0.6) ? world.future() : world.past();
  if (random.chance(0.06)) details.refresh_cache = random.chance(0.5);
  if (random.chance(0.06)) details.retriable = random.chance(0.5);
  if (random.chance(0.05)) details.untrackable_result = true;
  if (random.chance(0.05)) details.deferred = random.chance(0.5);
  if (random.chance(0.05)) details.traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  if (random.chance(0.04)) details.task_parameters_id = random.uuid();
  if (random.chance(0.03)) details.child_flow_run_id = world.id('flow_run');
  if (random.chance(0.03)) details.flow_run_id = world.id('flow_run');
  if (random.chance(0.03)) details.task_run_id = world.id('task_run');
  return details;
}

/** One id that many proposals share, so that some transitions are made twice. */
const TRANSITION_ID = '5b6d7c1e-6b1c-4b0e-9a52-0d6f2f7f3c11';

export function flowRunPolicy(world: World): SymbolicObject {
  const { random } = world;
  return world.optional(
    {
      retries: () => random.int(0, 3),
      retry_delay: () => random.pick([0, 10, 100]),
      max_retries: () => random.int(0, 2),
      retry_delay_seconds: () => random.pick([0, 2.5]),
      pause_keys: () => random.sample(['key-1', 'key-2'], random.int(0, 2)),
      resuming: () => random.chance(0.5),
      retry_type: () => random.pick(['in_process', 'reschedule', null]),
    },
    0.3,
  );
}

/** Without a jitter factor above zero: where it applies, the delay is random. */
export function taskRunPolicy(world: World): SymbolicObject {
  const { random } = world;
  return world.optional(
    {
      retries: () => random.int(0, 3),
      retry_delay: () => random.pick<Symbolic>([0, 10, [5, 20], [], 1.5]),
      max_retries: () => random.int(0, 2),
      retry_delay_seconds: () => random.pick([0, 2.5]),
      retry_jitter_factor: () => random.pick([0, null, -1]),
    },
    0.3,
  );
}

/** Headers by which the server recognizes old clients. */
export function clientHeaders(world: World): Record<string, string> | undefined {
  const { random } = world;
  if (random.chance(0.75)) return undefined;
  return random.pick<Record<string, string>>([
    { 'x-prefect-api-version': '0.8.4', 'user-agent': 'prefect/3.9.1 (API 0.8.4)' },
    { 'x-prefect-api-version': '0.8.3', 'user-agent': 'prefect/3.2.0 (API 0.8.3)' },
    { 'x-prefect-api-version': '0.8.0' },
    { 'x-prefect-api-version': '99.0.0' },
    { 'user-agent': 'prefect/3.4.11 (API 0.8.4)' },
    { 'user-agent': 'prefect/3.0.1 (API 0.8.4)' },
  ]);
}

/** The type of a run's state after a proposal, from the answer to it. */
export function writtenType(answer: Parsed): string | undefined {
  const state = isParsedObject(answer) ? answer.state : undefined;
  return isParsedObject(state) && typeof state.type === 'string' ? state.type : undefined;
}
