/** Cancels the children and task runs of cancelled runs, and ends cancellations that hang. */
import { sql } from 'kysely';
import type { Context } from '../../../context/context.ts';
import { rows } from '../../../database/rows.ts';
import { statement } from '../../../database/statement.ts';
import type { Tx } from '../../../database/store.ts';
import { addSeconds, secondsBetween, type Timestamp } from '../../../values/time.ts';
import type { StateType } from '../../filters/field-schema.ts';
import { isTerminal } from '../rows/state.ts';
import { transitionFlowRun, transitionTaskRun } from '../state-machine.ts';
import { oneByOne } from './one-by-one.ts';

const BATCH = 200;
/** Clients report task runs late, so the server checks for a cancelled run's leftovers again, at growing intervals. */
const SECONDS_UNTIL_SECOND_LOOK = 20;
export const SECONDS_UNTIL_LAST_LOOK = 86_400;
/** Longest wait for a process to stop. Shown by server/src/services/upkeep/cancellation-cleanup.test.ts. */
const CANCELLING_TIMEOUT_SECONDS = 300;

const terminal = sql`('COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED')`;

const cancellations = rows('flow_run_cancellation');

interface Cancellation {
  readonly flow_run_id: string;
  readonly cancelled_at: Timestamp;
}

const dueCancellations = statement<{ now: Timestamp; limit: number }, Cancellation>((query, given) =>
  query
    .selectFrom('flow_run_cancellation')
    .select(['flow_run_id', 'cancelled_at'])
    .where('workspace', '=', given.workspace)
    .where('due', '<=', given.now)
    .orderBy('due')
    .limit(given.limit),
);

const putOff = statement<{ flow_run_id: string; now: Timestamp; due: Timestamp }, unknown>((query, given) =>
  query
    .updateTable('flow_run_cancellation')
    .set({ due: given.due })
    .where('workspace', '=', given.workspace)
    .where('flow_run_id', '=', given.flow_run_id)
    .where('due', '<=', given.now),
);

const forget = statement<{ flow_run_id: string; now: Timestamp }, unknown>((query, given) =>
  query
    .deleteFrom('flow_run_cancellation')
    .where('workspace', '=', given.workspace)
    .where('flow_run_id', '=', given.flow_run_id)
    .where('due', '<=', given.now),
);

const openChildren = statement<{ flow_run_id: string; limit: number }, { id: string }>(
  (_query, given) =>
    sql<{ id: string }>`select child.id from task_run parent
      join flow_run child on child.workspace = parent.workspace and child.parent_task_run_id = parent.id
      where parent."workspace" = ${given.workspace} and parent.flow_run_id = ${given.flow_run_id}
        and coalesce(child.state_type, '') <> 'CANCELLING' and coalesce(child.state_type, '') not in ${terminal}
      limit ${given.limit}`,
);

const openTaskRuns = statement<{ flow_run_id: string; limit: number }, { id: string }>(
  (_query, given) =>
    sql<{ id: string }>`select id from task_run where "workspace" = ${given.workspace}
      and flow_run_id = ${given.flow_run_id} and coalesce(state_type, '') not in ${terminal} limit ${given.limit}`,
);

interface Standing {
  readonly id: string;
  readonly state_type: StateType | null;
  readonly state_timestamp: Timestamp | null;
  readonly deployment_id: string | null;
  readonly work_queue_id: string | null;
  readonly infrastructure_pid: string | null;
}

const standingOfFlowRun = statement<{ id: string }, Standing>(
  (_query, given) =>
    sql<Standing>`select id, state_type, state_timestamp, deployment_id, work_queue_id, infrastructure_pid
      from flow_run where "workspace" = ${given.workspace} and id = ${given.id}`,
);

const standingOfTaskRun = statement<{ id: string }, Pick<Standing, 'state_type'>>(
  (_query, given) =>
    sql<Pick<Standing, 'state_type'>>`select state_type from task_run
      where "workspace" = ${given.workspace} and id = ${given.id}`,
);

const cancellingSince = statement<{ before: Timestamp; limit: number }, { id: string }>(
  (_query, given) =>
    sql<{ id: string }>`select id from flow_run where "workspace" = ${given.workspace}
      and state_type = 'CANCELLING' and state_timestamp <= ${given.before}
      order by state_timestamp limit ${given.limit}`,
);

const message = 'The parent flow run was cancelled.';

/** Cancels the leftovers of cancelled runs. True when more are left. Shown by cancellation-cleanup.test.ts. */
export async function cancelWhatCancelledRunsLeft(context: Context): Promise<boolean> {
  const due = await context.db.all(dueCancellations, { now: context.now, limit: BATCH });
  const byRun = new Map(due.map((cancellation) => [cancellation.flow_run_id, cancellation]));
  let hasMore = false;
  const isDone = await oneByOne(context, [...byRun.keys()], async (id) => {
    if (!(await claim(context, byRun.get(id)!))) return;
    const children = await idsOf(context, openChildren, id);
    const taskRuns = await idsOf(context, openTaskRuns, id);
    const isEachDone =
      (await oneByOne(context, children, (child) => cancelChild(context, child))) &&
      (await oneByOne(context, taskRuns, (taskRun) => cancelTaskRun(context, taskRun)));
    if (!isEachDone) return;
    // The next pass cancels the leftovers of the children.
    if (children.length > 0) hasMore = true;
    if (children.length < BATCH && taskRuns.length < BATCH) return;
    hasMore = true;
    await context.transaction((tx) => cancellations.changeAll(tx, { flow_run_id: id }, { due: context.now }));
  });
  return hasMore || (isDone && due.length === BATCH);
}

async function idsOf(context: Context, open: typeof openChildren, flow_run_id: string): Promise<string[]> {
  return (await context.db.all(open, { flow_run_id, limit: BATCH })).map(({ id }) => id);
}

/** Sets the time of the next check, so that no other replica checks now. False when another replica does. */
function claim(context: Context, { flow_run_id, cancelled_at }: Cancellation): Promise<boolean> {
  const { now } = context;
  const age = secondsBetween(cancelled_at, now);
  return context.transaction(async (tx) => {
    const claimed =
      age > SECONDS_UNTIL_LAST_LOOK
        ? await tx.run(forget, { flow_run_id, now })
        : await tx.run(putOff, {
            flow_run_id,
            now,
            due: addSeconds(now, Math.max(SECONDS_UNTIL_SECOND_LOOK, age)),
          });
    return claimed > 0;
  });
}

/** A run of a deployment has its own process and gets CANCELLING; any other run ended with its parent. */
function cancelChild(context: Context, id: string): Promise<void> {
  return context.transaction(async (tx) => {
    await tx.lock('flow_run', id);
    const run = await tx.first(standingOfFlowRun, { id });
    if (!run || run.state_type === 'CANCELLING' || isTerminal(run.state_type)) return;
    const type = run.deployment_id === null ? 'CANCELLED' : 'CANCELLING';
    await transitionFlowRun(context, tx, id, { type, message }, true);
  });
}

function cancelTaskRun(context: Context, id: string): Promise<void> {
  return context.transaction(async (tx) => {
    await tx.lock('task_run', id);
    const run = await tx.first(standingOfTaskRun, { id });
    if (!run || isTerminal(run.state_type)) return;
    await transitionTaskRun(context, tx, id, { type: 'CANCELLED', message }, true);
  });
}

/** Asks the workers of the run's pool to remove its infrastructure. */
type RequestTeardown = (
  context: Context,
  tx: Tx,
  run: { readonly id: string; readonly work_queue_id: string | null; readonly infrastructure_pid: string | null },
) => Promise<void>;

/**
 * Marks runs Cancelled whose cancellation timed out, and asks the workers of their pool to remove the infrastructure.
 * True when more are left.
 */
export async function endHangingCancellations(context: Context, requestTeardown: RequestTeardown): Promise<boolean> {
  const before = addSeconds(context.now, -CANCELLING_TIMEOUT_SECONDS);
  const hanging = await context.db.all(cancellingSince, { before, limit: BATCH });
  const isDone = await oneByOne(
    context,
    hanging.map(({ id }) => id),
    (id) =>
      context.transaction(async (tx) => {
        await tx.lock('flow_run', id);
        const run = await tx.first(standingOfFlowRun, { id });
        if (run?.state_type !== 'CANCELLING' || !run.state_timestamp || run.state_timestamp > before) return;
        const text = 'Flow run cancellation timed out; marked this flow run as Cancelled.';
        await transitionFlowRun(context, tx, id, { type: 'CANCELLED', message: text }, true);
        await requestTeardown(context, tx, run);
      }),
  );
  return isDone && hanging.length === BATCH;
}
