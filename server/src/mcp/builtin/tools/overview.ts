/** Tools for an overview: the state of the workspace, and objects by name. */
import { described, Type, withDefault } from '../../../schema/kinds.ts';
import { RunLine, runLine, type ViewedRun } from '../definition/run-line.ts';
import { shortened, toSecond } from '../definition/text.ts';
import { tool } from '../definition/tool.ts';

interface Home {
  readonly since: string;
  readonly now: readonly { readonly state_type: string; readonly state_name: string; readonly count: number }[];
  readonly failed: number;
  readonly causes: readonly {
    readonly cause: string;
    readonly standing: string;
    readonly flow_name: string;
    readonly count: number;
    readonly last_run_id: string | null;
    readonly last_run_name: string;
  }[];
  readonly stuck_count: number;
  readonly stuck: readonly { readonly run: ViewedRun; readonly reasons: readonly { readonly message: string }[] }[];
  readonly upcoming: readonly ViewedRun[];
  readonly run_time: { readonly p50: number; readonly p95: number; readonly count: number } | null;
  readonly flows: number;
  readonly deployments: number;
}

const CAUSE_LENGTH = 300;

const getOverview = tool({
  name: 'get_overview',
  title: 'Overview of the workspace',
  description:
    'The state of the workspace: unfinished runs by state, failures of the last hours by cause, waiting runs with their reasons, and the runs that are due next. Begin here.',
  effect: 'read',
  routes: ['GET /views/home'],
  input: {
    hours: described(
      withDefault(Type.Integer({ minimum: 1, maximum: 24 * 31 }), 24),
      'Number of past hours that failures and durations cover.',
    ),
  },
  output: {
    since: Type.String(),
    flows: Type.Integer(),
    deployments: Type.Integer(),
    unfinished: described(Type.Record(Type.String(), Type.Integer()), 'Unfinished runs, by the name of their state.'),
    failed: described(
      Type.Integer(),
      'Attempts since `since` that failed or crashed; a run with its subflows counts once.',
    ),
    failures: described(
      Type.Array(
        Type.Object({
          cause: Type.String(),
          standing: described(
            Type.String(),
            '`new` in its first day, `regressed` when it came after it was resolved, else `again`.',
          ),
          flow: Type.String(),
          count: described(Type.Integer(), 'All failed attempts for this cause.'),
          last_run_id: Type.Optional(Type.String()),
          last_run_name: Type.String(),
        }),
      ),
      'Up to five causes that are neither muted nor resolved.',
    ),
    waiting: described(Type.Integer(), 'Runs that are late or have been pending for over five minutes.'),
    waiting_longest: Type.Array(Type.Object({ run: RunLine, reasons: Type.Array(Type.String()) })),
    due_next: Type.Array(RunLine),
    run_seconds: Type.Optional(
      described(
        Type.Object({ median: Type.Number(), p95: Type.Number(), runs: Type.Integer() }),
        'Seconds in Running of the completed runs.',
      ),
    ),
  },
  async run({ hours }, { ask }) {
    const home = await ask<Home>('GET /views/home', { query: { seconds: String(hours * 3600) } });
    const { run_time } = home;
    const failure = home.causes.find(({ last_run_id }) => last_run_id !== null);
    const [stuck] = home.stuck;
    return {
      since: toSecond(home.since) ?? home.since,
      flows: home.flows,
      deployments: home.deployments,
      unfinished: Object.fromEntries(home.now.map(({ state_name, count }) => [state_name, count])),
      failed: home.failed,
      failures: home.causes.map(({ cause, standing, flow_name, count, last_run_id, last_run_name }) => ({
        cause: shortened(cause, CAUSE_LENGTH),
        standing,
        flow: flow_name,
        count,
        ...(last_run_id !== null && { last_run_id }),
        last_run_name,
      })),
      waiting: home.stuck_count,
      waiting_longest: home.stuck.map(({ run, reasons }) => ({
        run: runLine(run),
        reasons: reasons.map(({ message }) => message),
      })),
      due_next: home.upcoming.map(runLine),
      ...(run_time && { run_seconds: { median: run_time.p50, p95: run_time.p95, runs: run_time.count } }),
      next_steps: [
        ...(failure
          ? [`why_did_this_run_fail with run_id ${failure.last_run_id} explains the first of these failures.`]
          : []),
        ...(stuck ? [`why_is_this_run_not_running with run_id ${stuck.run.id} explains the longest wait.`] : []),
      ],
    };
  },
});

const search = tool({
  name: 'search',
  title: 'Find objects by name or id',
  description:
    'Flows, deployments, work pools, automations, variables, blocks and concurrency limits whose name contains the text, runs whose name begins with it, and any object with that id. At most five of each kind.',
  effect: 'read',
  routes: ['GET /views/search'],
  input: { text: described(Type.String({ minLength: 1, maxLength: 200 }), 'Part of a name, or an id.') },
  output: {
    found: Type.Array(Type.Object({ type: Type.String(), id: Type.String(), name: Type.String() })),
  },
  async run({ text }, { ask }) {
    const found = await ask<{ type: string; id: string; name: string }[]>('GET /views/search', { query: { q: text } });
    return {
      found,
      next_steps: found.length === 0 ? ['Nothing has this in its name. Try a shorter part of it.'] : [],
    };
  },
});

export const overviewTools = [getOverview, search];
