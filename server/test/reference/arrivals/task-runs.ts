/** Task runs whose states arrive in every order, with doubled ones, in one request each. */

import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { newId } from '../../../src/values/id.ts';
import { stateEvent } from '../../support/events.ts';
import type { Random } from '../generate/random.ts';
import { type ArrivalOutcome, post, type ServerUrls } from './servers.ts';

/** Two states of one moment are a tie. */
const LIVES: readonly (readonly { readonly type: string; readonly second: number }[])[] = [
  [
    { type: 'PENDING', second: 1 },
    { type: 'RUNNING', second: 2 },
    { type: 'COMPLETED', second: 3 },
  ],
  [
    { type: 'PENDING', second: 1 },
    { type: 'RUNNING', second: 1 },
    { type: 'FAILED', second: 1 },
  ],
  [
    { type: 'RUNNING', second: 1 },
    { type: 'SCHEDULED', second: 2 },
    { type: 'RUNNING', second: 3 },
    { type: 'FAILED', second: 4 },
  ],
];
/** Both servers have recorded an event by then. */
const BETWEEN_ARRIVALS_MILLISECONDS = 1500;
const PATIENCE_MILLISECONDS = 60_000;

interface TaskRunHistory {
  readonly keys: { readonly taskKey: string; readonly dynamicKey: string };
  /** A run that was reported under another id before has the natural key of the first one. */
  readonly ids: readonly string[];
  readonly inFlowRun: boolean;
  readonly states: readonly {
    readonly type: string;
    readonly second: number;
    readonly id: string;
    readonly run: string;
  }[];
  /** Indexes of `states`, in their order of arrival. */
  readonly arrivals: readonly number[];
}

export async function compareTaskRuns({ ours, reference }: ServerUrls, random: Random): Promise<ArrivalOutcome> {
  const histories = LIVES.flatMap((life) =>
    permutations(life.map((_, index) => index)).flatMap((order) => [
      historyOf(random, life, order),
      historyOf(random, life, doubled(random, order)),
    ]),
  );
  const servers = [await prepare(ours), await prepare(reference)];
  const most = Math.max(...histories.map(({ arrivals }) => arrivals.length));
  for (let turn = 0; turn < most; turn++) {
    for (const { url, flowRunId } of servers) {
      await post(
        url,
        '/events',
        histories.flatMap((history) => eventOf(history, turn, flowRunId)),
      );
    }
    await delay(BETWEEN_ARRIVALS_MILLISECONDS);
  }
  const [here, there] = await Promise.all(servers.map(({ url }) => outcomesOf(url, histories)));
  const differences = histories.flatMap(({ arrivals, states, ids }, index) => {
    const found = { ours: here![index], reference: there![index] };
    const told = states.map(({ type, second, run }) => `${type}@${second} as ${ids.indexOf(run)}`);
    return isDeepStrictEqual(found.ours, found.reference) ? [] : [{ arrivals, states: told, ...found }];
  });
  return { compared: histories.length, differences };
}

function historyOf(random: Random, life: (typeof LIVES)[number], arrivals: readonly number[]): TaskRunHistory {
  const inFlowRun = random.chance(0.5);
  const ids = inFlowRun && random.chance(0.3) ? [newId(), newId()] : [newId()];
  return {
    keys: { taskKey: newId(), dynamicKey: '0' },
    ids,
    inFlowRun,
    states: life.map((state) => ({ ...state, id: newId(), run: random.pick(ids) })),
    arrivals,
  };
}

function eventOf({ keys, inFlowRun, states, arrivals }: TaskRunHistory, turn: number, flowRunId: string): object[] {
  const state = states[arrivals[turn] ?? -1];
  if (!state) return [];
  const at = (second: number) => `2026-11-20T10:00:0${second}.000000Z`;
  const { type, second, id, run } = state;
  const started = type === 'PENDING' ? {} : { start_time: at(1) };
  const name = type === 'SCHEDULED' ? { state: { name: 'AwaitingRetry' } } : {};
  return [
    stateEvent({
      ...{ id, type, ...keys, taskRunId: run, flowRunId: inFlowRun ? flowRunId : null, occurred: at(second) },
      run: { name: `${type} ${second}`, run_count: second, tags: [type], ...started },
      ...name,
    }),
  ];
}

async function prepare(url: string): Promise<{ readonly url: string; readonly flowRunId: string }> {
  const flow = await post(url, '/flows/', { name: 'arrivals' });
  return { url, flowRunId: (await post(url, '/flow_runs/', { flow_id: flow.id, state: { type: 'RUNNING' } })).id };
}

/**
 * For each history its runs, with the times that the server gives left out, and the times of their states: the reference
 * keeps one state of a moment.
 */
async function outcomesOf(url: string, histories: readonly TaskRunHistory[]): Promise<unknown[]> {
  const outcomes: unknown[] = [];
  const end = Date.now() + PATIENCE_MILLISECONDS;
  for (const { ids, states } of histories) {
    for (;;) {
      const runs = await Promise.all(ids.map((id) => readRun(url, id)));
      const recorded = runs.reduce((count, run) => count + (run?.states.length ?? 0), 0);
      if (recorded < new Set(states.map(({ second }) => second)).size && Date.now() < end) {
        await delay(BETWEEN_ARRIVALS_MILLISECONDS);
        continue;
      }
      outcomes.push(runs);
      break;
    }
  }
  return outcomes;
}

async function readRun(url: string, id: string) {
  const run = await read(`${url}/task_runs/${id}`);
  if (!run) return undefined;
  const { name, state_id, state_type, state_name, run_count, tags, start_time } = run;
  const states: { timestamp: string }[] = await read(`${url}/task_run_states/?task_run_id=${id}`);
  return {
    ...{ name, state_id, state_type, state_name, run_count, tags, start_time },
    states: [...new Set(states.map(({ timestamp }) => timestamp))].sort(),
  };
}

// biome-ignore lint/suspicious/noExplicitAny: answers of two servers
async function read(url: string): Promise<any> {
  const answer = await fetch(url);
  return answer.ok ? answer.json() : undefined;
}

function doubled(random: Random, order: readonly number[]): number[] {
  const again = random.pick(order);
  const first = order.indexOf(again);
  return order.toSpliced(random.int(first + 1, order.length), 0, again);
}

function permutations(items: readonly number[]): number[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item, index) => permutations(items.toSpliced(index, 1)).map((rest) => [item, ...rest]));
}
