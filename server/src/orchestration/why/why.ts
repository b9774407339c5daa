/**
 * Explains why a run has not started, from facts that people and programs would otherwise have to find in five places.
 */
import type { Context } from '../../context/context.ts';
import { secondsBetween } from '../../values/time.ts';
import { type Deployment, findDeployment } from '../deployments/queries.ts';
import type { StateType } from '../filters/field-schema.ts';
import { findLimit, type LimitInUse } from '../limits/global-limits/queries.ts';
import { tagOfLimitName } from '../limits/global-limits/tag-slots.ts';
import { activeSlots } from '../limits/global-limits/usage.ts';
import { type FlowRunWithState, findFlowRun } from '../runs/rows/flow-runs.ts';
import { isTerminal, type State } from '../runs/rows/state.ts';
import { stateOf } from '../runs/rows/stored-state.ts';
import { at, reason, slotsSentence } from './reason.ts';
import {
  countActiveSchedules,
  findQueueOfRun,
  limitsOnWaitingTasks,
  listHoldersOfLimit,
  listHoldersOfPool,
  type QueueOfRun,
} from './why-queries.ts';
import type { FlowRunExplanation, FlowRunReason, FlowRunReasonCode } from './why-schema.ts';
import { isPoolFull, isQueueFull, type QueueHolders, queueReasons, servingReasons } from './work-reasons.ts';

/** Undefined when the run does not exist. Lists every reason that applies; those that block the start come first. */
export async function explainFlowRun(context: Context, id: string): Promise<FlowRunExplanation | undefined> {
  const run = await findFlowRun(context.db, id);
  if (!run) return undefined;
  const found = await new Explanation(context, run).reasons();
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

class Explanation {
  readonly #context: Context;
  readonly #run: FlowRunWithState;
  readonly #found: FlowRunReason[] = [];

  constructor(context: Context, run: FlowRunWithState) {
    this.#context = context;
    this.#run = run;
  }

  async reasons(): Promise<readonly FlowRunReason[]> {
    const state = stateOf(this.#run);
    if (state?.type !== 'SCHEDULED') {
      this.#found.push(otherState(state));
      if (state?.type === 'RUNNING') await this.#waitingTasks();
      return this.#found;
    }
    this.#time(state);
    // No worker receives a retry in the same process: it continues in its process.
    if (this.#run.empirical_policy.includes('"retry_type":"in_process"')) this.#process(state);
    else await this.#deployment(state);
    if (!this.#found.some(({ blocks }) => blocks)) {
      const since = this.#run.next_scheduled_start_time;
      this.#found.push(
        reason('next_in_line', 'Nothing prevents it from starting: it is due, and the next poll returns it.', {
          since,
        }),
      );
    }
    return this.#found;
  }

  #time(state: State): void {
    const due = this.#run.next_scheduled_start_time;
    if (due === null) {
      this.#found.push(reason('no_start_time', 'It has no scheduled time, so no worker receives it.'));
      return;
    }
    if (secondsBetween(this.#context.now, due) <= 0) return;
    const details = { since: state.timestamp, until: due };
    if (state.name === 'AwaitingRetry') {
      this.#found.push(reason('waiting_for_retry', `It failed and retries at ${at(due)}.`, details));
    } else if (state.name === 'AwaitingConcurrencySlot') {
      const message = `Its deployment had no free slot. It tries again at ${at(due)}.`;
      this.#found.push(reason('waiting_for_slot', message, details));
    } else {
      this.#found.push(reason('start_in_future', `It is scheduled to start at ${at(due)}.`, details));
    }
  }

  #process({ timestamp }: State): void {
    const message = 'Only the process that ran it before can start it again. If that process is gone, it never starts.';
    this.#found.push(reason('waiting_for_process', message, { since: timestamp }));
  }

  async #deployment(state: State): Promise<void> {
    const { deployment_id, work_queue_id } = this.#run;
    const { db, now } = this.#context;
    const [deployment, queue] = await Promise.all([
      deployment_id === null ? undefined : findDeployment(db, deployment_id),
      work_queue_id === null ? undefined : findQueueOfRun(db, work_queue_id, now),
    ]);
    if (deployment) await this.#knownDeployment(deployment);
    else if (deployment_id !== null) {
      this.#found.push(
        reason('deployment_deleted', 'Its deployment was deleted, so it cannot start.', {
          resource: { type: 'deployment', id: deployment_id, name: null },
        }),
      );
    }
    if (queue) this.#found.push(...queueReasons(queue, await this.#holders(queue), now));
    else if (this.#run.work_queue_name !== null) {
      const { work_queue_name: name } = this.#run;
      const resource = { type: 'work_queue', id: work_queue_id, name } as const;
      const message = `Its work queue "${name}" was deleted, so no worker receives it.`;
      this.#found.push(reason('work_queue_deleted', message, { resource }));
    } else if (deployment) this.#found.push(...servingReasons(deployment, now));
    else if (deployment_id === null) {
      const message =
        'It has no deployment: only the process that created it can start it, or another one that gets its id.';
      this.#found.push(reason('no_deployment', message, { since: state.timestamp }));
    }
  }

  async #knownDeployment(deployment: Deployment): Promise<void> {
    const { id, name, paused, concurrency_limit_id } = deployment;
    const { db, now } = this.#context;
    const resource = { type: 'deployment', id, name } as const;
    const limit = concurrency_limit_id === null ? undefined : await findLimit(db, { id: concurrency_limit_id }, now);
    if (limit?.active && limit.limit <= 0) {
      const message = `The concurrency limit of deployment "${name}" is 0, so none of its runs can start.`;
      this.#found.push(reason('deployment_limit_zero', message, { resource, limit: limit.limit, active_slots: 0 }));
    } else if (limit) {
      await this.#limit('deployment_limit_full', limit, `The concurrency limit of deployment "${name}"`, true);
    }
    if (paused) {
      const message = `Deployment "${name}" is paused: its schedules create no further runs.`;
      this.#found.push(reason('deployment_paused', message, { blocks: false, resource }));
    } else if (this.#run.auto_scheduled && (await countActiveSchedules(db, id)) === 0) {
      const message = `Deployment "${name}" has no active schedule: no run is scheduled after this one.`;
      this.#found.push(reason('schedule_inactive', message, { blocks: false, resource }));
    }
  }

  /** Only a full limit has holders to list. */
  async #holders(queue: QueueOfRun): Promise<QueueHolders> {
    const { db } = this.#context;
    const [pool, own] = await Promise.all([
      isPoolFull(queue) ? listHoldersOfPool(db, queue.pool_id, null) : [],
      isQueueFull(queue) ? listHoldersOfPool(db, queue.pool_id, queue.id) : [],
    ]);
    return { pool, queue: own };
  }

  async #limit(code: FlowRunReasonCode, limit: LimitInUse, subject: string, blocks: boolean): Promise<void> {
    const { db, now } = this.#context;
    const active = activeSlots(limit, now);
    if (!limit.active || active < limit.limit) return;
    const holders = await listHoldersOfLimit(db, limit.id, now);
    const message = `${subject} is full: ${slotsSentence(active, limit.limit, holders)}`;
    const resource = { type: 'concurrency_limit', id: limit.id, name: limit.name } as const;
    this.#found.push(reason(code, message, { blocks, resource, limit: limit.limit, active_slots: active, holders }));
  }

  /** Tasks of a running run wait for the limits on their tags. */
  async #waitingTasks(): Promise<void> {
    const { db, now } = this.#context;
    for (const limit of await db.all(limitsOnWaitingTasks, { id: this.#run.id, now })) {
      const subject = `Its task runs wait: the concurrency limit of tag "${tagOfLimitName(limit.name)}"`;
      await this.#limit('tag_limit_full', limit, subject, false);
    }
  }
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
