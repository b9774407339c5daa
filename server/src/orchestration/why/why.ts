/**
 * Explains why a run has not started, from facts that people and programs would otherwise have to find in five places.
 */
import type { Context } from '../../context/context.ts';
import { findDeployment } from '../deployments/queries.ts';
import type { StateType } from '../filters/field-schema.ts';
import { findLimit } from '../limits/global-limits/queries.ts';
import { tagOfLimitName } from '../limits/global-limits/tag-slots.ts';
import { type FlowRunWithState, findFlowRun } from '../runs/rows/flow-runs.ts';
import { isTerminal, type State } from '../runs/rows/state.ts';
import { stateOf } from '../runs/rows/stored-state.ts';
import { at, reason } from './reason.ts';
import { fullLimit, isLimitFull, type RunFacts, scheduledReasons } from './scheduled-reasons.ts';
import {
  countActiveSchedules,
  findQueueOfRun,
  limitsOnWaitingTasks,
  listHoldersOfLimit,
  listHoldersOfPool,
} from './why-queries.ts';
import type { FlowRunExplanation, FlowRunReason } from './why-schema.ts';
import { isPoolFull, isQueueFull } from './work-reasons.ts';

/** Undefined when the run does not exist. Lists every reason that applies; those that block the start come first. */
export async function explainFlowRun(context: Context, id: string): Promise<FlowRunExplanation | undefined> {
  const run = await findFlowRun(context.db, id);
  if (!run) return undefined;
  const found = await reasonsOf(context, run);
  const reasons = [...found.filter(({ blocks }) => blocks), ...found.filter(({ blocks }) => !blocks)];
  return {
    run_id: run.id,
    run_name: run.name,
    state_type: run.state_type as StateType | null,
    state_name: run.state_name,
    started: run.start_time !== null,
    expected_start_time: run.expected_start_time,
    summary: summaryOf(run, reasons),
    reasons,
  };
}

function summaryOf({ name, start_time, state_type }: FlowRunWithState, reasons: readonly FlowRunReason[]): string {
  const subject = `Flow run "${name}"`;
  const told = reasons.filter(({ blocks }) => blocks);
  const messages = (told.length > 0 ? told : reasons.slice(0, 1)).map(({ message }) => message).join(' ');
  if (isTerminal(state_type as StateType | null)) return `${subject} has ended. ${messages}`;
  return `${subject} has ${start_time === null ? 'not started' : 'started'}. ${messages}`;
}

async function reasonsOf(context: Context, run: FlowRunWithState): Promise<readonly FlowRunReason[]> {
  const state = stateOf(run);
  if (state?.type === 'RUNNING') return [otherState(state), ...(await waitingTasks(context, run))];
  if (state?.type !== 'SCHEDULED') return [otherState(state)];
  return scheduledReasons(run, state, await factsOf(context, run), context.now);
}

async function factsOf({ db, now }: Context, run: FlowRunWithState): Promise<RunFacts> {
  const { deployment_id, work_queue_id } = run;
  const [deployment, queue] = await Promise.all([
    deployment_id === null ? undefined : findDeployment(db, deployment_id),
    work_queue_id === null ? undefined : findQueueOfRun(db, work_queue_id, now),
  ]);
  const limitId = deployment?.concurrency_limit_id ?? null;
  const limit = limitId === null ? undefined : await findLimit(db, { id: limitId }, now);
  const [limitHolders, pool, own, activeSchedules] = await Promise.all([
    limit && isLimitFull(limit, now) ? listHoldersOfLimit(db, limit.id, now) : [],
    queue && isPoolFull(queue) ? listHoldersOfPool(db, queue.pool_id, null) : [],
    queue && isQueueFull(queue) ? listHoldersOfPool(db, queue.pool_id, queue.id) : [],
    deployment && run.auto_scheduled ? countActiveSchedules(db, deployment.id) : undefined,
  ]);
  return { deployment, queue, limit, holders: { limit: limitHolders, pool, queue: own }, activeSchedules };
}

/** Tasks of a running run wait for the limits on their tags. */
async function waitingTasks({ db, now }: Context, run: FlowRunWithState): Promise<readonly FlowRunReason[]> {
  const full = (await db.all(limitsOnWaitingTasks, { id: run.id, now })).filter((limit) => isLimitFull(limit, now));
  return Promise.all(
    full.map(async (limit) => {
      const subject = `Its task runs wait: the concurrency limit of tag "${tagOfLimitName(limit.name)}"`;
      const holders = await listHoldersOfLimit(db, limit.id, now);
      return fullLimit('tag_limit_full', limit, { subject, blocks: false, holders, now });
    }),
  );
}

/** The reason for a run that is not SCHEDULED. */
function otherState(state: State | undefined): FlowRunReason {
  if (!state) return reason('no_state', 'It has no state: it was created, but never scheduled or run.');
  const since = state.timestamp;
  const text = state.message ? ` "${state.message}"` : '';
  switch (state.type) {
    case 'RUNNING':
      return reason('running', `It has been running since ${at(since)}.`, { blocks: false, since });
    case 'PENDING':
      return reason('pending', `A worker took it at ${at(since)} and prepares it (${state.name}).${text}`, { since });
    case 'CANCELLING':
      return reason('cancelling', `It has been cancelling since ${at(since)}.${text}`, { since });
    case 'PAUSED': {
      const until = state.state_details.pause_timeout ?? null;
      const end = until === null ? '' : `; if nobody resumes it by ${at(until)}, it fails`;
      return state.state_details.pause_reschedule
        ? reason('suspended', `It was suspended at ${at(since)} and waits to be resumed${end}.`, { since, until })
        : reason('paused', `It was paused at ${at(since)} and waits to be resumed${end}.`, { since, until });
    }
    default:
      return reason('ended', `Its state has been ${state.name} since ${at(since)}.${text}`, { blocks: false, since });
  }
}
