import { DateTime, described, Nullable, OneOf, Shape, Type, Uuid } from '../../../schema/kinds.ts';
import { FlowRunReason } from '../../why/why-schema.ts';
import { WorkPoolResponse } from '../../work/schema.ts';
import { RunRow } from '../runs/run-row.ts';

export const MOST_POOLS = 200;

const counts = {
  running: Type.Integer(),
  pending: Type.Integer(),
  late: described(Type.Integer(), 'Runs that should have started.'),
  deployments: Type.Integer(),
};

const reasons = described(
  Type.Array(FlowRunReason),
  'Reasons that prevent its runs from starting; empty if there are none.',
);

const pool = {
  id: Uuid(),
  name: Type.String(),
  type: Type.String(),
  description: Nullable(Type.String()),
  is_paused: Type.Boolean(),
  concurrency_limit: Nullable(Type.Integer()),
  queues: Type.Integer(),
  workers_online: Type.Integer(),
  last_heartbeat: Nullable(DateTime()),
  last_polled: described(Nullable(DateTime()), 'When a worker last asked one of its queues for runs.'),
  ...counts,
  reasons,
};

export const WorkPoolsView = Shape(
  'WorkPoolsView',
  {
    as_of: DateTime(),
    work_pools: described(Type.Array(Shape('WorkPoolRow', pool, 'ignore')), 'The first 200, by name.'),
  },
  'ignore',
);

const queue = {
  id: Uuid(),
  name: Type.String(),
  description: Type.String(),
  priority: Type.Integer(),
  is_paused: Type.Boolean(),
  concurrency_limit: Nullable(Type.Integer()),
  last_polled: Nullable(DateTime()),
  ...counts,
  reasons,
};

const WorkerRow = Shape(
  'WorkerRow',
  {
    id: Uuid(),
    name: Type.String(),
    status: OneOf(['ONLINE', 'OFFLINE']),
    last_heartbeat_time: DateTime(),
    heartbeat_interval_seconds: Nullable(Type.Integer()),
    created: described(DateTime(), 'Time of its first heartbeat.'),
  },
  'ignore',
);

const runs = {
  active: described(Type.Array(RunRow), 'Up to 100 runs that are pending, running or cancelling.'),
  waiting: described(Type.Array(RunRow), 'Up to 100 runs that are due and have not started, the longest wait first.'),
};

export const WorkPoolView = Shape(
  'WorkPoolView',
  {
    as_of: DateTime(),
    work_pool: WorkPoolResponse,
    summary: Shape('WorkPoolSummary', pool, 'ignore'),
    queues: described(Type.Array(Shape('WorkQueueRow', queue, 'ignore')), 'By priority.'),
    workers: described(Type.Array(WorkerRow), 'Up to 200, the latest heartbeat first.'),
    ...runs,
  },
  'ignore',
);

export const WorkQueueView = Shape(
  'WorkQueueView',
  {
    as_of: DateTime(),
    work_queue: Shape('WorkQueueSummary', queue, 'ignore'),
    work_pool: Shape('WorkPoolOfQueue', pool, 'ignore'),
    ...runs,
  },
  'ignore',
);
