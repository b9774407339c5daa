/** The reasons why a scheduled run has not started, from facts that were read before. */
import { secondsBetween, type Timestamp } from '../../values/time.ts';
import type { LimitInUse } from '../limits/global-limits/queries.ts';
import { activeSlots } from '../limits/global-limits/usage.ts';
import { at, reason, slotsSentence } from './reason.ts';
import type { QueueOfRun } from './why-queries.ts';
import type { FlowRunReason, FlowRunReasonCode, SlotHolder } from './why-schema.ts';
import { type QueueHolders, queueReasons, type ServedDeployment, servingReasons } from './work-reasons.ts';

interface ScheduledRun {
  readonly deployment_id: string | null;
  readonly work_queue_id: string | null;
  readonly work_queue_name: string | null;
  readonly next_scheduled_start_time: Timestamp | null;
  readonly empirical_policy: string;
}

interface ScheduledState {
  readonly name: string;
  readonly timestamp: Timestamp;
}

export interface RunFacts {
  /** Absent when the run has none, or when it was deleted. */
  readonly deployment: (ServedDeployment & { readonly paused: boolean }) | undefined;
  readonly queue: QueueOfRun | undefined;
  readonly limit: LimitInUse | undefined;
  readonly holders: QueueHolders & { readonly limit: readonly SlotHolder[] };
  /** Schedules of the deployment that are active; absent when a schedule did not create the run. */
  readonly activeSchedules: number | undefined;
}

export function scheduledReasons(
  run: ScheduledRun,
  state: ScheduledState,
  facts: RunFacts,
  now: Timestamp,
): FlowRunReason[] {
  // No worker receives a retry in the same process: it continues in its process.
  const isInProcess = run.empirical_policy.includes('"retry_type":"in_process"');
  const found = [
    ...timeReasons(run, state, now),
    ...(isInProcess ? [process(state)] : workReasons(run, state, facts, now)),
  ];
  if (found.some(({ blocks }) => blocks)) return found;
  const message = 'Nothing prevents it from starting: it is due, and the next poll returns it.';
  return [...found, reason('next_in_line', message, { since: run.next_scheduled_start_time })];
}

/** True when a wait for its time is the only reason that counts. */
export function isDue(
  { next_scheduled_start_time: due }: Pick<ScheduledRun, 'next_scheduled_start_time'>,
  now: Timestamp,
) {
  return due === null || secondsBetween(now, due) <= 0;
}

function timeReasons(run: ScheduledRun, state: ScheduledState, now: Timestamp): FlowRunReason[] {
  const due = run.next_scheduled_start_time;
  if (due === null) return [reason('no_start_time', 'It has no scheduled time, so no worker receives it.')];
  if (isDue(run, now)) return [];
  const details = { since: state.timestamp, until: due };
  if (state.name === 'AwaitingRetry') {
    return [reason('waiting_for_retry', `It failed and retries at ${at(due)}.`, details)];
  }
  if (state.name === 'AwaitingConcurrencySlot') {
    const message = `Its deployment had no free slot. It tries again at ${at(due)}.`;
    return [reason('waiting_for_slot', message, details)];
  }
  return [reason('start_in_future', `It is scheduled to start at ${at(due)}.`, details)];
}

function process({ timestamp }: ScheduledState): FlowRunReason {
  const message = 'Only the process that ran it before can start it again. If that process is gone, it never starts.';
  return reason('waiting_for_process', message, { since: timestamp });
}

function workReasons(run: ScheduledRun, state: ScheduledState, facts: RunFacts, now: Timestamp): FlowRunReason[] {
  const { deployment_id, work_queue_id, work_queue_name: name } = run;
  const { deployment, queue, holders } = facts;
  const found = deployment ? deploymentReasons(deployment, facts, now) : deletedDeployment(deployment_id);
  if (queue) return [...found, ...queueReasons(queue, holders, now)];
  if (name !== null) {
    const resource = { type: 'work_queue', id: work_queue_id, name } as const;
    const message = `Its work queue "${name}" was deleted, so no worker receives it.`;
    return [...found, reason('work_queue_deleted', message, { resource })];
  }
  if (deployment) return [...found, ...servingReasons(deployment, now)];
  if (deployment_id !== null) return found;
  const message =
    'It has no deployment: only the process that created it can start it, or another one that gets its id.';
  return [...found, reason('no_deployment', message, { since: state.timestamp })];
}

function deletedDeployment(id: string | null): FlowRunReason[] {
  if (id === null) return [];
  const resource = { type: 'deployment', id, name: null } as const;
  return [reason('deployment_deleted', 'Its deployment was deleted, so it cannot start.', { resource })];
}

function deploymentReasons(
  { id, name, paused }: { readonly id: string; readonly name: string; readonly paused: boolean },
  { limit, holders, activeSchedules }: RunFacts,
  now: Timestamp,
): FlowRunReason[] {
  const resource = { type: 'deployment', id, name } as const;
  const found: FlowRunReason[] = [];
  if (limit?.active && limit.limit <= 0) {
    const message = `The concurrency limit of deployment "${name}" is 0, so none of its runs can start.`;
    found.push(reason('deployment_limit_zero', message, { resource, limit: limit.limit, active_slots: 0 }));
  } else if (limit && isLimitFull(limit, now)) {
    const subject = `The concurrency limit of deployment "${name}"`;
    found.push(fullLimit('deployment_limit_full', limit, { subject, blocks: true, holders: holders.limit, now }));
  }
  if (paused) {
    const message = `Deployment "${name}" is paused: its schedules create no further runs.`;
    found.push(reason('deployment_paused', message, { blocks: false, resource }));
  } else if (activeSchedules === 0) {
    const message = `Deployment "${name}" has no active schedule: no run is scheduled after this one.`;
    found.push(reason('schedule_inactive', message, { blocks: false, resource }));
  }
  return found;
}

export function isLimitFull(limit: LimitInUse, now: Timestamp): boolean {
  return limit.active && activeSlots(limit, now) >= limit.limit;
}

interface FullLimit {
  readonly subject: string;
  readonly blocks: boolean;
  readonly holders: readonly SlotHolder[];
  readonly now: Timestamp;
}

export function fullLimit(code: FlowRunReasonCode, limit: LimitInUse, { subject, blocks, holders, now }: FullLimit) {
  const active = activeSlots(limit, now);
  const message = `${subject} is full: ${slotsSentence(active, limit.limit, holders)}`;
  const resource = { type: 'concurrency_limit', id: limit.id, name: limit.name } as const;
  return reason(code, message, { blocks, resource, limit: limit.limit, active_slots: active, holders: [...holders] });
}
