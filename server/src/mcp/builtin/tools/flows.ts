/** Tools about flows and deployments. */

import { described, Type } from '../../../schema/kinds.ts';
import { counted } from '../../../values/counted.ts';
import { DEPLOYMENT_BY_NAME, deployment, deploymentIdOf } from '../definition/arguments.ts';
import { cursorOf, pageInput, pageOutput, positionIn } from '../definition/paging.ts';
import { RunLine, runLine, stateOf, type ViewedRun } from '../definition/run-line.ts';
import { compact, jsonOf, shortened, toSecond } from '../definition/text.ts';
import { tool } from '../definition/tool.ts';

const name = described(Type.Optional(Type.String({ maxLength: 200 })), 'Part of the name.');
const tag = described(Type.Optional(Type.String({ maxLength: 200 })), 'Only those with this tag.');
const SHOWN_RUNS = 5;
const JSON_LENGTH = 2000;

interface Bar {
  readonly id: string;
  readonly state_type: string | null;
  readonly state_name: string | null;
  readonly start: string | null;
}
interface Next {
  readonly start: string;
}
interface Page<Row> {
  readonly next: unknown;
  readonly flows: readonly Row[];
  readonly deployments: readonly Row[];
}
interface FlowRow {
  readonly id: string;
  readonly name: string;
  readonly tags: readonly string[];
  readonly deployments: number;
  readonly runs: number;
  readonly last_runs: readonly Bar[];
  readonly next_run: Next | null;
}

const LastRun = Type.Object({ id: Type.String(), state: Type.String(), start: Type.Optional(Type.String()) });

function lastRunOf(bars: readonly Bar[]) {
  const [last] = bars;
  return last && compact({ id: last.id, state: stateOf(last).state, start: toSecond(last.start) });
}

const Flow = Type.Object({
  id: Type.String(),
  name: Type.String(),
  tags: Type.Optional(Type.Array(Type.String())),
  deployments: Type.Integer(),
  runs: described(Type.Integer(), 'All runs, counted up to 1,001.'),
  last_run: Type.Optional(LastRun),
  next_run: described(Type.Optional(Type.String()), 'When its next run is due.'),
});

const listFlows = tool({
  name: 'list_flows',
  title: 'List flows',
  description: 'Flows by name, each with its last run and the time of the next one.',
  effect: 'read',
  routes: ['POST /views/flows'],
  input: { name, tag, ...pageInput },
  output: { flows: Type.Array(Flow), ...pageOutput },
  async run({ limit, cursor, ...filter }, { ask }) {
    const body = { ...filter, limit, after: positionIn(cursor) };
    const { flows, next } = await ask<Page<FlowRow>>('POST /views/flows', { body });
    return {
      flows: flows.map((row) =>
        compact({
          id: row.id,
          name: row.name,
          tags: [...row.tags],
          deployments: row.deployments,
          runs: row.runs,
          last_run: lastRunOf(row.last_runs),
          next_run: toSecond(row.next_run?.start),
        }),
      ),
      ...cursorOf(next),
    };
  },
});

interface Schedule {
  readonly id: string;
  readonly active: boolean;
  readonly schedule: Readonly<Record<string, unknown>>;
}
interface DeploymentRow {
  readonly id: string;
  readonly name: string;
  readonly flow_name: string;
  readonly tags: readonly string[];
  readonly paused: boolean;
  readonly work_pool_name: string | null;
  readonly schedules: readonly Schedule[];
  readonly late: number;
  readonly last_runs: readonly Bar[];
  readonly next_run: Next | null;
  readonly reasons: readonly { readonly message: string }[];
}

const ShownSchedule = Type.Object({ id: Type.String(), active: Type.Boolean(), when: Type.String() });

function scheduleOf({ id, active, schedule }: Schedule) {
  const { cron, rrule, interval, timezone } = schedule;
  const when = cron ? `cron ${cron}` : rrule ? `rrule ${rrule}` : `every ${counted(Number(interval), 'second')}`;
  return { id, active, when: timezone ? `${when}, ${timezone}` : when };
}

const Deployment = Type.Object({
  id: Type.String(),
  name: Type.String(),
  flow: Type.String(),
  tags: Type.Optional(Type.Array(Type.String())),
  paused: Type.Boolean(),
  work_pool: Type.Optional(Type.String()),
  schedules: Type.Optional(Type.Array(ShownSchedule)),
  late_runs: Type.Integer(),
  last_run: Type.Optional(LastRun),
  next_run: described(Type.Optional(Type.String()), 'When its next run is due.'),
  problems: described(Type.Optional(Type.Array(Type.String())), 'Reasons that prevent its runs from starting.'),
});

const listDeployments = tool({
  name: 'list_deployments',
  title: 'List deployments',
  description:
    'Deployments by name, each with its schedules, its last and next run and the reasons that prevent its runs from starting.',
  effect: 'read',
  routes: ['POST /views/deployments'],
  input: {
    name: described(
      Type.Optional(Type.String({ maxLength: 200 })),
      'Part of the name of the deployment or of its flow.',
    ),
    tag,
    work_pool: described(Type.Optional(Type.String({ maxLength: 200 })), 'Name of a work pool.'),
    paused: Type.Optional(Type.Boolean()),
    ...pageInput,
  },
  output: { deployments: Type.Array(Deployment), ...pageOutput },
  async run({ limit, cursor, ...filter }, { ask }) {
    const body = { ...filter, limit, after: positionIn(cursor) };
    const { deployments, next } = await ask<Page<DeploymentRow>>('POST /views/deployments', { body });
    return {
      deployments: deployments.map((row) =>
        compact({
          id: row.id,
          name: row.name,
          flow: row.flow_name,
          tags: [...row.tags],
          paused: row.paused,
          work_pool: row.work_pool_name,
          schedules: row.schedules.map(scheduleOf),
          late_runs: row.late,
          last_run: lastRunOf(row.last_runs),
          next_run: toSecond(row.next_run?.start),
          problems: row.reasons.map(({ message }) => message),
        }),
      ),
      ...cursorOf(next),
    };
  },
});

interface DeploymentView {
  readonly deployment: {
    readonly id: string;
    readonly name: string;
    readonly description: string | null;
    readonly paused: boolean;
    readonly schedules: readonly Schedule[];
    readonly parameters: unknown;
    readonly parameter_openapi_schema: unknown;
    readonly entrypoint: string | null;
    readonly version: string | null;
    readonly tags: readonly string[];
    readonly global_concurrency_limit: { readonly limit: number; readonly active_slots: number } | null;
  };
  readonly flow: { readonly id: string; readonly name: string };
  readonly work_pool: { readonly name: string; readonly type: string; readonly workers_online: number } | null;
  readonly reasons: readonly { readonly message: string }[];
  readonly late: number;
  readonly next_run: Next | null;
  readonly runs: readonly ViewedRun[];
}

const getDeployment = tool({
  name: 'get_deployment',
  title: 'Inspect a deployment',
  description:
    'One deployment: schedules, default parameters and their schema, work pool, the reasons that prevent its runs from starting, and its last runs. Read it before you start a run with parameters.',
  effect: 'read',
  routes: ['GET /views/deployments/{id}', DEPLOYMENT_BY_NAME],
  input: { deployment },
  output: {
    id: Type.String(),
    name: Type.String(),
    flow: Type.String(),
    flow_id: Type.String(),
    description: Type.Optional(Type.String()),
    version: Type.Optional(Type.String()),
    entrypoint: Type.Optional(Type.String()),
    paused: Type.Boolean(),
    tags: Type.Optional(Type.Array(Type.String())),
    schedules: Type.Optional(Type.Array(ShownSchedule)),
    parameters: described(Type.Optional(Type.String()), 'Default parameters as JSON.'),
    parameter_schema: described(Type.Optional(Type.String()), 'JSON Schema of the parameters, as JSON.'),
    concurrency: Type.Optional(Type.Object({ limit: Type.Integer(), active_slots: Type.Integer() })),
    work_pool: Type.Optional(Type.Object({ name: Type.String(), type: Type.String(), workers_online: Type.Integer() })),
    problems: Type.Optional(Type.Array(Type.String())),
    late_runs: Type.Integer(),
    next_run: Type.Optional(Type.String()),
    last_runs: Type.Optional(Type.Array(RunLine)),
  },
  async run(given, asking) {
    const id = await deploymentIdOf(given.deployment, asking);
    const view = await asking.ask<DeploymentView>('GET /views/deployments/{id}', { path: { id } });
    const { deployment: found, flow, work_pool } = view;
    const limit = found.global_concurrency_limit;
    return compact({
      id: found.id,
      name: found.name,
      flow: flow.name,
      flow_id: flow.id,
      description: found.description ? shortened(found.description, JSON_LENGTH) : undefined,
      version: found.version,
      entrypoint: found.entrypoint,
      paused: found.paused,
      tags: [...found.tags],
      schedules: found.schedules.map(scheduleOf),
      parameters: jsonOf(found.parameters, JSON_LENGTH),
      parameter_schema: jsonOf(found.parameter_openapi_schema, JSON_LENGTH),
      concurrency: limit && { limit: limit.limit, active_slots: limit.active_slots },
      work_pool: work_pool && {
        name: work_pool.name,
        type: work_pool.type,
        workers_online: work_pool.workers_online,
      },
      problems: view.reasons.map(({ message }) => message),
      late_runs: view.late,
      next_run: toSecond(view.next_run?.start),
      last_runs: view.runs.slice(0, SHOWN_RUNS).map(runLine),
    });
  },
});

export const flowTools = [listFlows, listDeployments, getDeployment];
