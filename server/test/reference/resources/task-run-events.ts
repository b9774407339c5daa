import { http, type Resource } from '../generate/resource.ts';
import type { StateType } from '../generate/states.ts';
import type { EventsStep, HttpStep } from '../generate/step.ts';
import { Joined, path, Ref, type Symbolic, type SymbolicObject } from '../generate/symbols.ts';
import type { World } from '../generate/world.ts';
import { isParsedObject, type Parsed } from '../wire/json-text.ts';

/** A task run as the client that runs it describes it; ids and keys are the client's own. */
interface ClientRun {
  readonly id: string;
  readonly flowRun: Symbolic;
  readonly name: string;
  readonly taskKey: string;
  readonly dynamicKey: string;
}

const LIVES: readonly (readonly StateType[])[] = [
  ['PENDING', 'RUNNING', 'COMPLETED'],
  ['PENDING', 'RUNNING', 'FAILED'],
  ['PENDING', 'RUNNING', 'SCHEDULED', 'RUNNING', 'COMPLETED'],
  ['PENDING', 'RUNNING', 'CRASHED'],
  ['RUNNING'],
  ['COMPLETED'],
];

/** Task runs that the client moves itself and only reports, one event per state over `/events/in`. */
export const taskRunEvents: Resource = {
  name: 'task run events',
  actions: [
    {
      routes: ['WS /events/in', 'GET /task_runs/{id}', 'GET /task_run_states/', 'POST /events/filter'],
      weight: 2.5,
      *steps(world) {
        const { random } = world;
        const run = drawRun(world);
        const life = random.pick(LIVES);
        const started = random.int(-60, -5);
        const events = life.map((type, index) => stateEvent(world, run, type, life[index - 1], started, index, life));
        // Late, repeated and out of order, as after a reconnection.
        const sent = random.chance(0.25) ? random.sample(events, events.length) : [...events];
        if (random.chance(0.2)) sent.push(random.pick(events));
        yield send(sent, life.join(', '));
        yield* readBack(
          run,
          events.map((event) => String(event.id)),
        );
        if (random.chance(0.3)) yield storedEvents(run);
      },
    },
    {
      routes: ['WS /events/in', 'GET /task_runs/{id}', 'GET /task_run_states/'],
      weight: 0.5,
      *steps(world) {
        const stored = world.some('task_run', (handle) => isNaturalKey(handle.facts.request));
        if (!stored) return;
        // The natural key of a stored run under another id: the event belongs to the stored run.
        const request = stored.facts.request as { flow_run_id: Symbolic; task_key: string; dynamic_key: string };
        const run = {
          id: world.random.uuid(),
          flowRun: request.flow_run_id,
          name: world.name('task'),
          taskKey: request.task_key,
          dynamicKey: request.dynamic_key,
        };
        const event = stateEvent(world, run, 'RUNNING', 'PENDING', -4, 1, []);
        yield send([event], 'natural key of another id');
        yield statesOf(new Ref(stored), [String(event.id)]);
        yield http('GET /task_runs/{id}', path`/task_runs/${new Ref(stored)}`);
        yield http('GET /task_runs/{id}', path`/task_runs/${run.id}`);
      },
    },
    {
      routes: ['WS /events/in', 'POST /events/filter', 'GET /task_runs/{id}'],
      weight: 0.3,
      *steps(world) {
        const run = drawRun(world);
        const event = stateEvent(world, run, 'RUNNING', undefined, -3, 0, []);
        const { 'prefect.orchestration': _, ...resource } = event.resource as SymbolicObject;
        yield send([{ ...event, resource }], 'without the mark of client orchestration');
        yield storedEvents(run);
        yield http('GET /task_runs/{id}', path`/task_runs/${run.id}`);
      },
    },
  ],
};

function isNaturalKey(request: Symbolic | undefined): boolean {
  return isParsedObject(request as Parsed | undefined) && (request as SymbolicObject).flow_run_id instanceof Ref;
}

/** A new run of an existing flow run. */
function drawRun(world: World): ClientRun {
  const { random } = world;
  const flowRun = world.some('flow_run');
  return {
    id: random.uuid(),
    flowRun: flowRun && random.chance(0.95) ? new Ref(flowRun) : null,
    name: world.name('task'),
    taskKey: random.pick(['add-1a2b3c4d', 'sum-5e6f7a8b']),
    dynamicKey: world.name('dynamic'),
  };
}

function send(events: readonly SymbolicObject[], note: string): EventsStep {
  return { kind: 'events', route: 'WS /events/in', note, events };
}

/** The run and its states, once the server has recorded every state of `stateIds`. */
function* readBack(run: ClientRun, stateIds: readonly string[]): Generator<HttpStep, void, undefined> {
  yield statesOf(run.id, stateIds);
  yield http('GET /task_runs/{id}', path`/task_runs/${run.id}`, { settle: true });
}

function statesOf(id: Symbolic, stateIds: readonly string[]): HttpStep {
  return http('GET /task_run_states/', path`/task_run_states/`, {
    query: { task_run_id: id },
    settle: true,
    ready: (body) =>
      Array.isArray(body) && stateIds.every((stateId) => body.some((row) => isParsedObject(row) && row.id === stateId)),
  });
}

function storedEvents(run: ClientRun): HttpStep {
  return http('POST /events/filter', path`/events/filter`, {
    note: 'events of a task run',
    body: { filter: { resource: { id: [`prefect.task-run.${run.id}`] }, order: 'ASC' } },
    rows: { key: (row) => String(row.occurred), limit: 50 },
    settle: true,
    ready: (body) => isParsedObject(body) && Array.isArray(body.events) && body.events.length > 0,
  });
}

/** One state of a task run, in the shape of the 3.8 client. `started` is in hours from the present. */
function stateEvent(
  world: World,
  run: ClientRun,
  type: StateType,
  from: StateType | undefined,
  started: number,
  index: number,
  life: readonly StateType[],
): SymbolicObject {
  const { random } = world;
  const at = (step: number) => world.hoursAway(started + step / 30, 'Z').replace('Z', `.${100_000 + step}Z`);
  const name = type === 'SCHEDULED' ? 'AwaitingRetry' : type.charAt(0) + type.slice(1).toLowerCase();
  const state = (stateType: StateType): SymbolicObject => ({
    type: stateType,
    name: stateType === type ? name : stateType.charAt(0) + stateType.slice(1).toLowerCase(),
    message: '',
    state_details: stateType === 'SCHEDULED' ? { scheduled_time: at(index + 1) } : {},
  });
  const isFinal = ['COMPLETED', 'FAILED', 'CRASHED'].includes(type);
  const firstRun = life.indexOf('RUNNING');
  const tags = world.tags();
  const related: SymbolicObject[] = tags.map((tag) => ({
    'prefect.resource.id': `prefect.tag.${tag}`,
    'prefect.resource.role': 'tag',
  }));
  if (run.flowRun instanceof Ref) {
    related.push({
      'prefect.resource.id': new Joined('prefect.flow-run.', run.flowRun),
      'prefect.resource.role': 'flow-run',
      'prefect.resource.name': 'Run 1',
    });
  }
  return {
    id: random.uuid(),
    occurred: at(index),
    event: `prefect.task-run.${name}`,
    resource: {
      'prefect.resource.id': `prefect.task-run.${run.id}`,
      'prefect.resource.name': run.name,
      'prefect.run-count': '1',
      'prefect.state-message': '',
      'prefect.state-name': name,
      'prefect.state-timestamp': at(index),
      'prefect.state-type': type,
      'prefect.orchestration': 'client',
    },
    related,
    payload: {
      intended: { from: from ?? null, to: type },
      initial_state: from ? state(from) : null,
      validated_state: {
        ...state(type),
        ...(isFinal ? { data: random.pick<Symbolic>([null, { type: 'result', x: 1 }]) } : {}),
      },
      task_run: {
        name: run.name,
        task_key: run.taskKey,
        dynamic_key: run.dynamicKey,
        empirical_policy: { max_retries: 0, retry_delay_seconds: 0.5, retries: 1, retry_delay: 0 },
        tags,
        labels: random.pick<Symbolic>([{}, { team: 'x' }]),
        task_inputs: { x: [], y: [{ input_type: 'constant', type: 'int' }] },
        run_count: life.slice(0, index + 1).filter((one) => one === 'RUNNING').length,
        flow_run_run_count: 1,
        expected_start_time: at(0),
        ...(firstRun >= 0 && firstRun <= index ? { start_time: at(firstRun) } : {}),
        ...(isFinal ? { end_time: at(index) } : {}),
        total_run_time: index * 120.5,
      },
    },
  };
}
