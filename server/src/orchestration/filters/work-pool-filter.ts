import { sql } from 'kysely';
import type { FilterFields } from '../../database/lists/filters.ts';
import { Enum, Maybe, Shape, type Static } from '../../schema/kinds.ts';
import { ValueList } from '../../schema/value-list.ts';
import { ids, operator, prefixes, texts, time } from './filter-schema.ts';

export const WorkerStatus = Enum('WorkerStatus', ['ONLINE', 'OFFLINE']);
export type WorkerStatus = Static<typeof WorkerStatus>;

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

export const workPoolFields: FilterFields = {
  id: { kind: 'id', column: sql`work_pool.id` },
  name: { kind: 'text', column: sql`work_pool.name` },
  type: { kind: 'text', column: sql`work_pool.type` },
};

export const workQueueFields: FilterFields = {
  id: { kind: 'id', column: sql`work_queue.id` },
  name: { kind: 'text', column: sql`work_queue.name` },
};
