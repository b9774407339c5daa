import { http, type Resource } from '../generate/resource.ts';
import type { StateType } from '../generate/states.ts';
import type { HttpStep, Steps } from '../generate/step.ts';
import { path, Ref, type Symbolic, type SymbolicObject } from '../generate/symbols.ts';
import type { World } from '../generate/world.ts';

/** How an attempt may go. A pause has a key that the code of the flow gives, so it is the same in each attempt. */
const ATTEMPTS: readonly (readonly StateType[])[] = [
  ['PENDING', 'RUNNING', 'PAUSED', 'RUNNING', 'FAILED'],
  ['PENDING', 'RUNNING', 'PAUSED', 'RUNNING', 'PAUSED', 'RUNNING', 'COMPLETED'],
  ['PENDING', 'RUNNING', 'PAUSED', 'FAILED'],
  ['PENDING', 'RUNNING', 'PAUSED', 'CANCELLED'],
  ['PENDING', 'RUNNING', 'CANCELLING', 'CANCELLED'],
  ['PENDING', 'RUNNING', 'CRASHED'],
  ['PENDING', 'RUNNING', 'FAILED'],
  ['RUNNING', 'COMPLETED'],
];
const AGAIN: readonly StateType[] = ['SCHEDULED', 'PENDING', 'RUNNING'];

/** Runs that are tried twice: what the first attempt left is not there in the second. */
export const secondAttempts: Resource = {
  name: 'second attempts',
  actions: [
    {
      routes: [
        'POST /flow_runs/{id}/set_state',
        'GET /flow_runs/{id}',
        'POST /flow_runs/{id}/input',
        'POST /flow_runs/{id}/input/filter',
      ],
      weight: 2,
      *steps(world) {
        const { random } = world;
        const flow = world.some('flow');
        // With both, a run of the reference waits for the slot that it holds itself (`expected/limits.ts`).
        const retries = random.chance(0.3);
        const policy: SymbolicObject = retries ? { empirical_policy: { retries: 1, retry_delay: 0 } } : {};
        const limit: SymbolicObject = !retries && random.chance(0.6) ? { concurrency_limit: 1 } : {};
        yield http('POST /deployments/', path`/deployments/`, {
          note: 'whose run is tried twice',
          body: {
            name: world.name('tried'),
            flow_id: flow ? new Ref(flow) : random.uuid(),
            ...limit,
          },
          learn: (bodies) => world.add('deployment tried twice', bodies),
        });
        const deployment = world.alive('deployment tried twice').at(-1);
        if (!deployment) return;
        yield http(
          'POST /deployments/{id}/create_flow_run',
          path`/deployments/${new Ref(deployment)}/create_flow_run`,
          {
            body: { state: { type: 'SCHEDULED' }, ...policy },
            learn: (bodies) => world.add('run tried twice', bodies),
          },
        );
        const run = world.alive('run tried twice').at(-1);
        if (run) {
          const id = new Ref(run);
          yield* attempt(world, id, random.pick(ATTEMPTS));
          yield proposed(world, id, random.pick(AGAIN));
          yield* attempt(world, id, random.pick(ATTEMPTS));
          run.die();
        }
        yield http('DELETE /deployments/{id}', path`/deployments/${new Ref(deployment)}`, { silent: true });
        deployment.die();
      },
    },
  ],
};

function* attempt(world: World, id: Symbolic, states: readonly StateType[]): Steps {
  for (const type of states) {
    yield proposed(world, id, type);
    yield http('GET /flow_runs/{id}', path`/flow_runs/${id}`);
    if (type !== 'PAUSED') continue;
    const input = { key: 'approval-response', value: '{"approved": true}' };
    yield http('POST /flow_runs/{id}/input', path`/flow_runs/${id}/input`, { note: 'of a pause', body: input });
    yield http('POST /flow_runs/{id}/input/filter', path`/flow_runs/${id}/input/filter`, {
      note: 'of a pause',
      body: { prefix: 'approval', limit: 10 },
      rows: {},
    });
  }
}

function proposed(world: World, id: Symbolic, type: StateType): HttpStep {
  const pause_key = world.random.chance(0.8) ? 'approval' : null;
  const run_input_keyset = { response: 'approval-response', schema: 'approval-schema' };
  const details: SymbolicObject = type === 'PAUSED' ? { state_details: { pause_key, run_input_keyset } } : {};
  const force = world.random.chance(0.08);
  return http('POST /flow_runs/{id}/set_state', path`/flow_runs/${id}/set_state`, {
    note: 'of a run that is tried twice',
    body: { state: { type, ...details }, ...(force ? { force } : {}) },
  });
}
