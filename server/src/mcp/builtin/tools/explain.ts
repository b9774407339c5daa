/** Tools that explain runs, with the facts from the pages of the dashboard. */
import { described, Type } from '../../../schema/kinds.ts';
import { runId } from '../definition/arguments.ts';
import { RunLine, runLine, stateOf, type ViewedRun } from '../definition/run-line.ts';
import { compact, shortened, toSecond } from '../definition/text.ts';
import { tool } from '../definition/tool.ts';

const MESSAGE_LENGTH = 2000;
const ERROR_LINE_LENGTH = 500;
const ERROR_LINES = 5;
const MOST_HOLDERS = 5;

interface Explanation {
  readonly run_name: string;
  readonly state_type: string | null;
  readonly state_name: string | null;
  readonly started: boolean;
  readonly expected_start_time: string | null;
  readonly summary: string;
  readonly reasons: readonly {
    readonly code: string;
    readonly message: string;
    readonly blocks: boolean;
    readonly until: string | null;
    readonly limit: number | null;
    readonly active_slots: number | null;
    readonly resource: { readonly type: string; readonly id: string | null; readonly name: string | null } | null;
    readonly holders:
      | readonly { readonly type: string; readonly id: string | null; readonly name: string | null }[]
      | null;
  }[];
}

const Named = Type.Object({
  type: Type.String(),
  id: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
});

const whyNotRunning = tool({
  name: 'why_is_this_run_not_running',
  title: 'Why is this run not running',
  description:
    'The conditions that prevent a run from starting, such as a paused queue, a full limit or no worker, each with a remedy.',
  effect: 'read',
  routes: ['GET /flow_runs/{id}/why'],
  input: { run_id: runId },
  output: {
    run: Type.String(),
    state: Type.String(),
    state_name: Type.Optional(Type.String()),
    started: Type.Boolean(),
    expected_start: Type.Optional(Type.String()),
    summary: Type.String(),
    reasons: Type.Array(
      Type.Object({
        code: Type.String(),
        message: Type.String(),
        blocks: described(Type.Boolean(), 'Whether it prevents the start.'),
        until: Type.Optional(Type.String()),
        limit: Type.Optional(Type.Integer()),
        active_slots: Type.Optional(Type.Integer()),
        resource: Type.Optional(Named),
        holders: Type.Optional(Type.Array(Named)),
      }),
    ),
  },
  async run({ run_id }, { ask }) {
    const found = await ask<Explanation>('GET /flow_runs/{id}/why', { path: { id: run_id } });
    const failed = found.state_type === 'FAILED' || found.state_type === 'CRASHED';
    return {
      ...compact({ run: found.run_name, ...stateOf(found), started: found.started }),
      ...compact({ expected_start: toSecond(found.expected_start_time) }),
      summary: found.summary,
      reasons: found.reasons.map(({ code, message, blocks, until, limit, active_slots, resource, holders }) =>
        compact({
          code,
          message,
          blocks,
          until: toSecond(until),
          limit,
          active_slots,
          resource: resource && { ...compact({ id: resource.id, name: resource.name }), type: resource.type },
          holders: (holders ?? [])
            .slice(0, MOST_HOLDERS)
            .map(({ type, id, name }) => ({ type, ...compact({ id, name }) })),
        }),
      ),
      next_steps: failed ? [`why_did_this_run_fail with run_id ${run_id}`] : [],
    };
  },
});

interface Frame {
  readonly file: string;
  readonly line: number;
  readonly function: string;
  readonly code: string | null;
}
interface FailureView {
  readonly flow_run: Omit<ViewedRun, 'flow_name' | 'deployment_name'> & {
    readonly total_run_time: number;
    readonly state: { readonly message: string | null } | null;
  };
  readonly flow: { readonly name: string };
  readonly deployment: { readonly name: string } | null;
  readonly failure: {
    readonly message: string | null;
    readonly exception: { readonly type: string; readonly message: string } | null;
    readonly subflows: readonly { readonly id: string; readonly name: string; readonly flow_name: string }[];
    readonly task: {
      readonly id: string;
      readonly name: string;
      readonly start_time: string | null;
      readonly end_time: string | null;
      readonly attempts: readonly unknown[];
    } | null;
    readonly frames: readonly Frame[];
    readonly user_frame: number | null;
    readonly similar: number;
  } | null;
  readonly last_success: {
    readonly id: string;
    readonly name: string;
    readonly start_time: string | null;
    readonly run_time: number;
    readonly flow_version: string | null;
    readonly deployment_version: string | null;
    readonly parameters: readonly {
      readonly name: string;
      readonly before: string | null;
      readonly now: string | null;
    }[];
  } | null;
}
interface LogLine {
  readonly timestamp: string;
  readonly message: string;
}

const ShownFrame = Type.Object({
  file: Type.String(),
  line: Type.Integer(),
  function: Type.String(),
  code: Type.Optional(Type.String()),
});

function frameOf({ code, ...frame }: Frame) {
  return { ...frame, ...compact({ code }) };
}

const whyFailed = tool({
  name: 'why_did_this_run_fail',
  title: 'Why did this run fail',
  description:
    'The cause of a failed or crashed run, however deep in its subflows: the task that failed, the last line of the user’s own code in the traceback, the last error lines, the number of similar failures, and the differences from the last successful run.',
  effect: 'read',
  routes: ['GET /views/flow_runs/{id}', 'POST /logs/filter'],
  input: { run_id: runId },
  output: {
    run: RunLine,
    failed: described(Type.Boolean(), 'False: the run has not failed, and the fields below are absent.'),
    message: Type.Optional(Type.String()),
    exception: Type.Optional(Type.Object({ type: Type.String(), message: Type.String() })),
    subflows: described(
      Type.Optional(Type.Array(Type.Object({ id: Type.String(), name: Type.String(), flow: Type.String() }))),
      'The subflow runs that lead to the cause, each in the one before.',
    ),
    first_failed_task: Type.Optional(
      Type.Object({
        id: Type.String(),
        name: Type.String(),
        start: Type.Optional(Type.String()),
        end: Type.Optional(Type.String()),
      }),
    ),
    user_frame: Type.Optional(
      described(ShownFrame, 'The last frame that belongs to neither Python nor an installed package.'),
    ),
    raised_in: Type.Optional(described(ShownFrame, 'The frame that raised the exception, if it is another one.')),
    similar_failures: described(
      Type.Optional(Type.Integer()),
      'Failed runs of the flow with the same cause in the seven days before.',
    ),
    last_success: Type.Optional(
      Type.Object({
        id: Type.String(),
        name: Type.String(),
        start: Type.Optional(Type.String()),
        seconds: Type.Number(),
        flow_version: Type.Optional(Type.String()),
        deployment_version: Type.Optional(Type.String()),
        changed_parameters: described(
          Type.Array(
            Type.Object({
              name: Type.String(),
              before: Type.Optional(Type.String()),
              now: Type.Optional(Type.String()),
            }),
          ),
          'Parameters that differ, as JSON.',
        ),
      }),
    ),
    error_lines: Type.Optional(Type.Array(Type.Object({ at: Type.String(), message: Type.String() }))),
  },
  async run({ run_id }, { ask }) {
    const view = await ask<FailureView>('GET /views/flow_runs/{id}', { path: { id: run_id } });
    const { flow_run, failure, last_success: success } = view;
    const run = runLine({
      ...flow_run,
      flow_name: view.flow.name,
      deployment_name: view.deployment?.name ?? null,
      run_time: flow_run.total_run_time,
    });
    if (!failure) {
      return { run, failed: false, next_steps: [`This run is ${run.state}. get_flow_run with run_id ${run_id}`] };
    }
    const { task, frames, user_frame, subflows } = failure;
    const deepest = subflows.at(-1)?.id ?? run_id;
    const logs = await ask<LogLine[]>('POST /logs/filter', {
      body: {
        logs: {
          level: { ge_: 40 },
          ...(task ? { task_run_id: { any_: [task.id] } } : { flow_run_id: { any_: [deepest] } }),
        },
        sort: 'TIMESTAMP_DESC',
        limit: ERROR_LINES,
      },
    });
    const own = user_frame === null ? undefined : frames[user_frame];
    const last = frames.at(-1);
    return {
      run,
      failed: true,
      ...compact({
        message: failure.message ? shortened(failure.message, MESSAGE_LENGTH) : undefined,
        exception: failure.exception && {
          type: failure.exception.type,
          message: shortened(failure.exception.message, ERROR_LINE_LENGTH),
        },
        subflows:
          subflows.length === 0
            ? undefined
            : subflows.map(({ id, name, flow_name }) => ({ id, name, flow: flow_name })),
        first_failed_task: task && {
          id: task.id,
          name: task.name,
          ...compact({ start: toSecond(task.start_time), end: toSecond(task.end_time) }),
        },
        user_frame: own && frameOf(own),
        raised_in: last && last !== own ? frameOf(last) : undefined,
        similar_failures: failure.similar,
        last_success: success && {
          id: success.id,
          name: success.name,
          seconds: Math.round(success.run_time * 10) / 10,
          ...compact({
            start: toSecond(success.start_time),
            flow_version: success.flow_version,
            deployment_version: success.deployment_version,
          }),
          changed_parameters: success.parameters.map(({ name, before, now }) => ({
            name,
            ...compact({ before, now }),
          })),
        },
        error_lines: logs
          .map((line) => ({
            at: toSecond(line.timestamp) ?? line.timestamp,
            message: shortened(line.message, ERROR_LINE_LENGTH),
          }))
          .reverse(),
      }),
      next_steps: [
        task
          ? `read_logs with task_run_id ${task.id} shows what the task did before.`
          : `read_logs with run_id ${deepest} shows what the run did before.`,
        ...(view.deployment
          ? [`retry_flow_run with run_id ${run_id} runs it again, where the cause is over.`]
          : ['It has no deployment, so no worker can run it again: start it where it ran.']),
      ],
    };
  },
});

export const explainingTools = [whyNotRunning, whyFailed];
