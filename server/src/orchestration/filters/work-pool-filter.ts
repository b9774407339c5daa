import { Maybe, Shape, type Static } from '../../schema/kinds.ts';
import { ValueList } from '../../schema/value-list.ts';
import { WorkerStatus } from '../work/workers/worker-status.ts';
import { ids, operator, prefixes, texts, time } from './filter-schema.ts';

export const WorkPoolFilter = Shape('WorkPoolFilter', {
  operator,
  id: Maybe(Shape('WorkPoolFilterId', { any_: ids })),
  name: Maybe(Shape('WorkPoolFilterName', { any_: texts })),
  type: Maybe(Shape('WorkPoolFilterType', { any_: texts })),
});
export type WorkPoolFilter = Static<typeof WorkPoolFilter>;

export const WorkQueueFilter = Shape('WorkQueueFilter', {
  operator,
  id: Maybe(Shape('WorkQueueFilterId', { any_: ids })),
  name: Maybe(Shape('WorkQueueFilterName', { any_: texts, startswith_: prefixes })),
});
export type WorkQueueFilter = Static<typeof WorkQueueFilter>;

const statuses = Maybe(ValueList(WorkerStatus));

export const WorkerFilter = Shape('WorkerFilter', {
  operator,
  last_heartbeat_time: Maybe(Shape('WorkerFilterLastHeartbeatTime', { before_: time, after_: time })),
  status: Maybe(Shape('WorkerFilterStatus', { any_: statuses, not_any_: statuses })),
});
export type WorkerFilter = Static<typeof WorkerFilter>;
