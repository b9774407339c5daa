/** Tools for the needs of runs: work pools, concurrency limits, automations and variables. */
import { described, Type } from '../../../schema/kinds.ts';
import { cursorOf, offsetIn, pageInput, pageOutput } from '../definition/paging.ts';
import { RunLine, runLine, type ViewedRun } from '../definition/run-line.ts';
import { compact, jsonOf, shortened, toSecond } from '../definition/text.ts';
import { tool } from '../definition/tool.ts';

const VALUE_LENGTH = 500;
const SHOWN = 5;

interface Pool {
  readonly name: string;
  readonly type: string;
  readonly is_paused: boolean;
  readonly concurrency_limit: number | null;
  readonly workers_online: number;
  readonly last_heartbeat: string | null;
  readonly running: number;
  readonly pending: number;
  readonly late: number;
  readonly deployments: number;
  readonly reasons: readonly { readonly message: string }[];
}

const poolFields = {
  name: Type.String(),
  type: Type.String(),
  paused: Type.Boolean(),
  concurrency_limit: Type.Optional(Type.Integer()),
  workers_online: Type.Integer(),
  last_heartbeat: Type.Optional(Type.String()),
  running: Type.Integer(),
  pending: Type.Integer(),
  late: described(Type.Integer(), 'Runs that should have started.'),
  deployments: Type.Integer(),
  problems: described(Type.Optional(Type.Array(Type.String())), 'Reasons that prevent its runs from starting.'),
};

function poolOf(pool: Pool) {
  return compact({
    name: pool.name,
    type: pool.type,
    paused: pool.is_paused,
    concurrency_limit: pool.concurrency_limit,
    workers_online: pool.workers_online,
    last_heartbeat: toSecond(pool.last_heartbeat),
    running: pool.running,
    pending: pool.pending,
    late: pool.late,
    deployments: pool.deployments,
    problems: pool.reasons.map(({ message }) => message),
  });
}

/** A page of a list that the API returns as a whole. */
function pageIn<Item>(items: readonly Item[], offset: number, limit: number) {
  const end = offset + limit;
  return { page: items.slice(offset, end), next: cursorOf(items.length > end ? end : undefined) };
}

const listWorkPools = tool({
  name: 'list_work_pools',
  title: 'List work pools',
  description:
    'Work pools by name: their workers, their runs, and the reasons that prevent runs from starting. The first 200.',
  effect: 'read',
  routes: ['GET /views/work_pools'],
  input: pageInput,
  output: { work_pools: Type.Array(Type.Object(poolFields)), ...pageOutput },
  async run({ limit, cursor }, { ask }) {
    const { work_pools } = await ask<{ work_pools: Pool[] }>('GET /views/work_pools');
    const { page, next } = pageIn(work_pools, offsetIn(cursor), limit);
    return { work_pools: page.map(poolOf), ...next };
  },
});

interface PoolView {
  readonly summary: Pool;
  readonly queues: readonly {
    readonly name: string;
    readonly priority: number;
    readonly is_paused: boolean;
    readonly concurrency_limit: number | null;
    readonly late: number;
    readonly reasons: readonly { readonly message: string }[];
  }[];
  readonly workers: readonly { readonly name: string; readonly status: string; readonly last_heartbeat_time: string }[];
  readonly active: readonly ViewedRun[];
  readonly waiting: readonly ViewedRun[];
}

const getWorkPool = tool({
  name: 'get_work_pool',
  title: 'Inspect a work pool',
  description: 'One work pool: its queues, its workers, and its first running and waiting runs.',
  effect: 'read',
  routes: ['GET /views/work_pools/{name}'],
  input: { name: Type.String({ minLength: 1, maxLength: 1000 }) },
  output: {
    ...poolFields,
    queues: Type.Array(
      Type.Object({
        name: Type.String(),
        priority: Type.Integer(),
        paused: Type.Boolean(),
        concurrency_limit: Type.Optional(Type.Integer()),
        late: Type.Integer(),
        problems: Type.Optional(Type.Array(Type.String())),
      }),
    ),
    workers: Type.Array(Type.Object({ name: Type.String(), status: Type.String(), last_heartbeat: Type.String() })),
    active_runs: Type.Array(RunLine),
    waiting_runs: Type.Array(RunLine),
  },
  async run({ name }, { ask }) {
    const view = await ask<PoolView>('GET /views/work_pools/{name}', { path: { name } });
    return {
      ...poolOf(view.summary),
      queues: view.queues.slice(0, 50).map((queue) =>
        compact({
          name: queue.name,
          priority: queue.priority,
          paused: queue.is_paused,
          concurrency_limit: queue.concurrency_limit,
          late: queue.late,
          problems: queue.reasons.map(({ message }) => message),
        }),
      ),
      workers: view.workers.slice(0, 20).map((worker) => ({
        name: worker.name,
        status: worker.status,
        last_heartbeat: toSecond(worker.last_heartbeat_time) ?? '',
      })),
      active_runs: view.active.slice(0, SHOWN).map(runLine),
      waiting_runs: view.waiting.slice(0, SHOWN).map(runLine),
    };
  },
});

interface Limit {
  readonly name: string;
  readonly kind: string;
  readonly active: boolean;
  readonly limit: number;
  readonly active_slots: number;
  readonly holders: readonly {
    readonly id: string | null;
    readonly name: string | null;
    readonly type: string | null;
  }[];
  readonly waiter_count: number;
}

const listLimits = tool({
  name: 'list_concurrency_limits',
  title: 'List concurrency limits',
  description: 'Concurrency limits by name: slots in use, who holds them, and how many runs wait for one.',
  effect: 'read',
  routes: ['GET /views/concurrency_limits'],
  input: pageInput,
  output: {
    limits: Type.Array(
      Type.Object({
        name: Type.String(),
        kind: described(Type.String(), '`tag` limits task runs with a tag, `deployment` the runs of one deployment.'),
        active: Type.Boolean(),
        limit: Type.Integer(),
        active_slots: Type.Integer(),
        waiting_runs: Type.Integer(),
        holders: Type.Optional(
          Type.Array(Type.Object({ id: Type.Optional(Type.String()), name: Type.Optional(Type.String()) })),
        ),
      }),
    ),
    ...pageOutput,
  },
  async run({ limit, cursor }, { ask }) {
    const offset = offsetIn(cursor);
    const answer = await ask<{ limits: Limit[]; next: number | null }>('GET /views/concurrency_limits', {
      query: { offset: String(offset) },
    });
    const isMore = answer.limits.length > limit || answer.next !== null;
    return {
      limits: answer.limits.slice(0, limit).map((row) =>
        compact({
          name: row.name,
          kind: row.kind,
          active: row.active,
          limit: row.limit,
          active_slots: row.active_slots,
          waiting_runs: row.waiter_count,
          holders: row.holders.map(({ id, name }) => compact({ id, name })),
        }),
      ),
      ...cursorOf(isMore ? offset + limit : undefined),
    };
  },
});

interface AutomationRow {
  readonly automation: {
    readonly id: string;
    readonly name: string;
    readonly enabled: boolean;
    readonly description: string;
  };
  readonly last_triggered: string | null;
  readonly triggered_count: number;
  readonly failed_count: number;
  readonly last_failure: string | null;
}

const listAutomations = tool({
  name: 'list_automations',
  title: 'List automations',
  description: 'Automations by name: whether they are on, how often they fired in the past week, and their failures.',
  effect: 'read',
  routes: ['GET /views/automations'],
  input: pageInput,
  output: {
    automations: Type.Array(
      Type.Object({
        id: Type.String(),
        name: Type.String(),
        enabled: Type.Boolean(),
        last_fired: Type.Optional(Type.String()),
        fired: described(Type.Integer(), 'Firings in the past week.'),
        failed_actions: Type.Integer(),
        last_failure: Type.Optional(Type.String()),
      }),
    ),
    ...pageOutput,
  },
  async run({ limit, cursor }, { ask }) {
    const offset = offsetIn(cursor);
    const answer = await ask<{ automations: AutomationRow[]; next: number | null }>('GET /views/automations', {
      query: { offset: String(offset) },
    });
    const isMore = answer.automations.length > limit || answer.next !== null;
    return {
      automations: answer.automations.slice(0, limit).map(({ automation, ...row }) =>
        compact({
          id: automation.id,
          name: automation.name,
          enabled: automation.enabled,
          last_fired: toSecond(row.last_triggered),
          fired: row.triggered_count,
          failed_actions: row.failed_count,
          last_failure: row.last_failure ? shortened(row.last_failure, VALUE_LENGTH) : undefined,
        }),
      ),
      ...cursorOf(isMore ? offset + limit : undefined),
    };
  },
});

interface Variable {
  readonly name: string;
  readonly value: unknown;
  readonly tags: readonly string[];
}

const listVariables = tool({
  name: 'list_variables',
  title: 'List variables',
  description: 'Variables of the workspace with their values, by name.',
  effect: 'read',
  routes: ['POST /variables/filter'],
  input: { name: described(Type.Optional(Type.String({ maxLength: 255 })), 'Part of the name.'), ...pageInput },
  output: {
    variables: Type.Array(
      Type.Object({
        name: Type.String(),
        value: described(Type.Optional(Type.String()), 'The value as JSON.'),
        tags: Type.Optional(Type.Array(Type.String())),
      }),
    ),
    ...pageOutput,
  },
  async run({ name, limit, cursor }, { ask }) {
    const offset = offsetIn(cursor);
    const variables = name === undefined ? undefined : { name: { like_: name } };
    const found = await ask<Variable[]>('POST /variables/filter', { body: { variables, offset, limit: limit + 1 } });
    return {
      variables: found
        .slice(0, limit)
        .map((row) => compact({ name: row.name, value: jsonOf(row.value, VALUE_LENGTH), tags: [...row.tags] })),
      ...cursorOf(found.length > limit ? offset + limit : undefined),
    };
  },
});

export const workTools = [listWorkPools, getWorkPool, listLimits, listAutomations, listVariables];
