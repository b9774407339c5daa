/** The reasons why the runs of a deployment do not start, or are not scheduled. */
import type { Timestamp } from '../../values/time.ts';
import { reason, slotsSentence } from './reason.ts';
import type { QueueOfRun } from './why-queries.ts';
import type { FlowRunReason, SlotHolder } from './why-schema.ts';
import { queueReasons, servingReasons } from './work-reasons.ts';

interface DeploymentFacts {
  readonly id: string;
  readonly name: string;
  readonly paused: boolean;
  readonly last_polled: Timestamp | null;
  readonly schedule_count: number;
  readonly active_schedules: number;
  /** The name of the queue in its row, which may have been deleted. */
  readonly work_queue_name: string | null;
  readonly queue: QueueOfRun | undefined;
  readonly limit:
    | {
        readonly id: string;
        readonly name: string;
        readonly active: boolean;
        readonly limit: number;
        readonly active_slots: number;
        readonly holders: readonly SlotHolder[];
      }
    | undefined;
}

/** Reasons that block a start come first. */
export function deploymentReasons(deployment: DeploymentFacts, now: Timestamp): FlowRunReason[] {
  const found = [...limitReasons(deployment), ...queueOrProcess(deployment, now), ...scheduleReasons(deployment)];
  return [...found.filter(({ blocks }) => blocks), ...found.filter(({ blocks }) => !blocks)];
}

function limitReasons({ id, name, limit }: DeploymentFacts): FlowRunReason[] {
  if (!limit?.active || limit.active_slots < limit.limit) return [];
  if (limit.limit <= 0) {
    const message = `The concurrency limit of deployment "${name}" is 0, so none of its runs can start.`;
    const resource = { type: 'deployment', id, name } as const;
    return [reason('deployment_limit_zero', message, { resource, limit: limit.limit, active_slots: 0 })];
  }
  const { active_slots, holders } = limit;
  const message = `The concurrency limit of deployment "${name}" is full: ${slotsSentence(active_slots, limit.limit, holders)}`;
  const resource = { type: 'concurrency_limit', id: limit.id, name: limit.name } as const;
  // New runs wait while the others run, which is the purpose of a limit.
  const details = { blocks: false, resource, limit: limit.limit, active_slots, holders: [...holders] };
  return [reason('deployment_limit_full', message, details)];
}

function queueOrProcess(deployment: DeploymentFacts, now: Timestamp): FlowRunReason[] {
  const { queue, work_queue_name: name } = deployment;
  if (queue) return queueReasons(queue, { pool: [], queue: [] }, now);
  if (name === null) return servingReasons(deployment, now);
  const resource = { type: 'work_queue', id: null, name } as const;
  return [
    reason('work_queue_deleted', `Its work queue "${name}" was deleted, so no worker receives its runs.`, { resource }),
  ];
}

function scheduleReasons({ id, name, paused, schedule_count, active_schedules }: DeploymentFacts): FlowRunReason[] {
  const resource = { type: 'deployment', id, name } as const;
  if (paused) {
    const message = `Deployment "${name}" is paused: its schedules create no runs.`;
    return [reason('deployment_paused', message, { blocks: false, resource })];
  }
  if (schedule_count === 0 || active_schedules > 0) return [];
  const message = `Each schedule of deployment "${name}" is paused, so no run is scheduled.`;
  return [reason('schedule_inactive', message, { blocks: false, resource })];
}
