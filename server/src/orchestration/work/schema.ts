/** Answers about work pools, their queues and workers. */
import {
  DateTime,
  described,
  Enum,
  JsonObject,
  Maybe,
  Nullable,
  Shape,
  type Static,
  Type,
  Uuid,
  withDefault,
} from '../../schema/kinds.ts';
import { SearchedText, ValueList } from '../../schema/value-list.ts';
import { deprecated, Name, StateType, stamps } from '../filters/field-schema.ts';
import { WorkerStatus } from '../filters/work-pool-filter.ts';

export const WorkPoolStatus = Enum('WorkPoolStatus', ['READY', 'NOT_READY', 'PAUSED']);
export type WorkPoolStatus = Static<typeof WorkPoolStatus>;

export const WorkPoolStorageConfiguration = Shape('WorkPoolStorageConfiguration', {
  bundle_upload_step: Maybe(JsonObject()),
  bundle_execution_step: Maybe(JsonObject()),
  default_result_storage_block_id: Maybe(Uuid()),
});
export type WorkPoolStorageConfiguration = Static<typeof WorkPoolStorageConfiguration>;

const ConcurrencyLimit = Type.Integer({ minimum: 0 });

export const WorkPoolResponse = Shape(
  'WorkPoolResponse',
  {
    ...stamps,
    name: Name,
    description: Maybe(Type.String()),
    type: Type.String(),
    base_job_template: Type.Optional(JsonObject()),
    is_paused: withDefault(Type.Boolean(), false),
    concurrency_limit: described(Maybe(ConcurrencyLimit), 'Maximum number of runs at a time. Null: no limit.'),
    status: Maybe(WorkPoolStatus),
    default_queue_id: Maybe(Uuid()),
    storage_configuration: Type.Optional(WorkPoolStorageConfiguration),
    active_slots: Maybe(Type.Integer()),
  },
  'ignore',
);
export type WorkPoolResponse = Static<typeof WorkPoolResponse>;

/** The selection of runs by queues from before pools existed. */
export const QueueFilter = Shape(
  'QueueFilter',
  { tags: Maybe(ValueList(SearchedText)), deployment_ids: Maybe(ValueList(Uuid())) },
  'ignore',
);
export type QueueFilter = Static<typeof QueueFilter>;

const queue = {
  ...stamps,
  name: Name,
  description: withDefault(Nullable(Type.String()), ''),
  is_paused: withDefault(Type.Boolean(), false),
  concurrency_limit: described(Maybe(ConcurrencyLimit), 'Maximum number of runs at a time. Null: no limit.'),
  /** 1 is served first. */
  priority: withDefault(Type.Integer({ exclusiveMinimum: 0 }), 1),
  work_pool_id: Maybe(Uuid()),
  filter: Type.Optional(deprecated(Nullable(QueueFilter))),
  last_polled: Maybe(DateTime()),
};

export const WorkQueue = Shape('WorkQueue', queue, 'ignore');
export type WorkQueue = Static<typeof WorkQueue>;

export const WorkQueueStatus = Enum('WorkQueueStatus', ['READY', 'NOT_READY', 'PAUSED']);
export type WorkQueueStatus = Static<typeof WorkQueueStatus>;

export const WorkQueueResponse = Shape(
  'WorkQueueResponse',
  {
    ...queue,
    work_pool_name: Maybe(Type.String()),
    status: Maybe(WorkQueueStatus),
    active_slots: Maybe(Type.Integer()),
  },
  'ignore',
);
export type WorkQueueResponse = Static<typeof WorkQueueResponse>;

export const WorkQueueHealthPolicy = Shape(
  'WorkQueueHealthPolicy',
  {
    maximum_late_runs: withDefault(Nullable(Type.Integer()), 0),
    maximum_seconds_since_last_polled: withDefault(Nullable(Type.Integer()), 60),
  },
  'ignore',
);
export type WorkQueueHealthPolicy = Static<typeof WorkQueueHealthPolicy>;

export const WorkQueueStatusDetail = Shape(
  'WorkQueueStatusDetail',
  {
    healthy: Type.Boolean(),
    late_runs_count: withDefault(Type.Integer(), 0),
    last_polled: Maybe(DateTime()),
    health_check_policy: WorkQueueHealthPolicy,
  },
  'ignore',
);
export type WorkQueueStatusDetail = Static<typeof WorkQueueStatusDetail>;

/** A run that holds a slot. `time_in_current_state` is in seconds. */
export const FlowRunSlotSummary = Shape(
  'FlowRunSlotSummary',
  {
    id: Uuid(),
    name: Type.String(),
    state_type: Maybe(StateType),
    state_name: Maybe(Type.String()),
    start_time: Maybe(DateTime()),
    state_timestamp: Maybe(DateTime()),
    time_in_current_state: Maybe(Type.Number()),
  },
  'ignore',
);
export type FlowRunSlotSummary = Static<typeof FlowRunSlotSummary>;

const paging = { count: Type.Integer(), limit: Type.Integer(), pages: Type.Integer(), page: Type.Integer() };
const slots = { active_slots: Type.Integer(), concurrency_limit: Maybe(Type.Integer()) };
const flow_runs = Type.Optional(Type.Array(FlowRunSlotSummary));

export const WorkQueueConcurrencyStatus = Shape(
  'WorkQueueConcurrencyStatus',
  { ...slots, flow_runs, ...paging },
  'ignore',
);
export type WorkQueueConcurrencyStatus = Static<typeof WorkQueueConcurrencyStatus>;

export const WorkQueueConcurrencyStatusDetail = Shape(
  'WorkQueueConcurrencyStatusDetail',
  { queue_id: Uuid(), queue_name: Type.String(), ...slots, flow_runs, flow_run_count: Maybe(Type.Integer()) },
  'ignore',
);
export type WorkQueueConcurrencyStatusDetail = Static<typeof WorkQueueConcurrencyStatusDetail>;

export const WorkPoolConcurrencyStatus = Shape(
  'WorkPoolConcurrencyStatus',
  { ...slots, queues: Type.Optional(Type.Array(WorkQueueConcurrencyStatusDetail)), ...paging },
  'ignore',
);
export type WorkPoolConcurrencyStatus = Static<typeof WorkPoolConcurrencyStatus>;

export const WorkerResponse = Shape(
  'WorkerResponse',
  {
    ...stamps,
    name: Type.String(),
    work_pool_id: Uuid(),
    last_heartbeat_time: Maybe(DateTime()),
    heartbeat_interval_seconds: described(
      Maybe(Type.Integer()),
      'Seconds between heartbeats. A worker is offline after three times as long without one.',
    ),
    status: withDefault(WorkerStatus, 'OFFLINE'),
  },
  'ignore',
);
export type WorkerResponse = Static<typeof WorkerResponse>;
