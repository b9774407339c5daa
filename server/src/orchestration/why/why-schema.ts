import { DateTime, Enum, Nullable, OneOf, Shape, type Static, Type, Uuid } from '../../schema/kinds.ts';
import { StateType } from '../filters/field-schema.ts';

/**
 * The codes, in the order in which the server checks them. Docs and clients may rely on each code having one meaning.
 */
export const FlowRunReasonCode = Enum('FlowRunReasonCode', [
  'ended',
  'running',
  'cancelling',
  'pending',
  'paused',
  'suspended',
  'no_state',
  'no_start_time',
  'start_in_future',
  'waiting_for_retry',
  'waiting_for_slot',
  'waiting_for_process',
  'no_deployment',
  'deployment_deleted',
  'deployment_paused',
  'schedule_inactive',
  'deployment_limit_full',
  'deployment_limit_zero',
  'work_queue_deleted',
  'work_pool_paused',
  'work_queue_paused',
  'work_pool_full',
  'work_queue_full',
  'no_worker',
  'work_queue_not_polled',
  'deployment_not_served',
  'tag_limit_full',
  'next_in_line',
]);
export type FlowRunReasonCode = Static<typeof FlowRunReasonCode>;

/** The holder of a slot. The name is null when the server does not know the holder, or no longer does. */
export const SlotHolder = Shape(
  'SlotHolder',
  {
    type: OneOf(['flow_run', 'task_run', 'deployment', 'unknown']),
    id: Nullable(Uuid()),
    name: Nullable(Type.String()),
  },
  'ignore',
);
export type SlotHolder = Static<typeof SlotHolder>;

const ReasonResource = Shape(
  'FlowRunReasonResource',
  {
    type: OneOf(['deployment', 'work_pool', 'work_queue', 'concurrency_limit']),
    id: Nullable(Uuid()),
    name: Nullable(Type.String()),
  },
  'ignore',
);

/**
 * `blocks` is true if the reason prevents the start. `limit`, `active_slots` and `holders` (the first 20) describe a
 * full limit.
 */
export const FlowRunReason = Shape(
  'FlowRunReason',
  {
    code: FlowRunReasonCode,
    message: Type.String(),
    blocks: Type.Boolean(),
    since: Nullable(DateTime()),
    until: Nullable(DateTime()),
    resource: Nullable(ReasonResource),
    limit: Nullable(Type.Integer()),
    active_slots: Nullable(Type.Integer()),
    holders: Nullable(Type.Array(SlotHolder)),
  },
  'ignore',
);
export type FlowRunReason = Static<typeof FlowRunReason>;

export const FlowRunExplanation = Shape(
  'FlowRunExplanation',
  {
    run_id: Uuid(),
    run_name: Type.String(),
    state_type: Nullable(StateType),
    state_name: Nullable(Type.String()),
    started: Type.Boolean(),
    expected_start_time: Nullable(DateTime()),
    summary: Type.String(),
    reasons: Type.Array(FlowRunReason),
  },
  'ignore',
);
export type FlowRunExplanation = Static<typeof FlowRunExplanation>;
