/** Requests about work pools, their queues and workers. */
import {
  DateTime,
  described,
  givenFieldsOnly,
  Json,
  JsonObject,
  Maybe,
  Nullable,
  ownPart,
  Parts,
  prepare,
  refine,
  Shape,
  type Static,
  Type,
  withDefault,
} from '../../schema/kinds.ts';
import { SearchedText, ValueList } from '../../schema/value-list.ts';
import { deprecated, NAME_PATTERN, Name } from '../filters/field-schema.ts';
import { limit, offset, page } from '../filters/filter-schema.ts';
import { WorkerFilter, WorkPoolFilter, WorkQueueFilter } from '../filters/work-pool-filter.ts';
import { templateFault } from '../parameters/job-template.ts';
import { QueueFilter, WorkPoolStorageConfiguration } from './schema.ts';

const ConcurrencyLimit = Maybe(Type.Integer({ minimum: 0 }));
const BaseJobTemplate = refine(JsonObject(), templateFault);

/** Checked before the pattern. Source: `POST /work_pools/` of the Prefect server 3.9.1. */
const WorkPoolName = prepare(Name, (name) =>
  typeof name === 'string' && /^[\s'"]*$/.test(name) ? { fault: 'name cannot be an empty string' } : { value: name },
);

export const WorkPoolCreate = Shape('WorkPoolCreate', {
  name: WorkPoolName,
  description: Maybe(Type.String()),
  type: withDefault(Type.String(), 'prefect-agent'),
  base_job_template: Type.Optional(BaseJobTemplate),
  is_paused: withDefault(Type.Boolean(), false),
  concurrency_limit: ConcurrencyLimit,
  storage_configuration: Type.Optional(WorkPoolStorageConfiguration),
});
export type WorkPoolCreate = Static<typeof WorkPoolCreate>;

export const WorkPoolUpdate = givenFieldsOnly(
  Shape('WorkPoolUpdate', {
    description: Maybe(Type.String()),
    is_paused: Maybe(Type.Boolean()),
    base_job_template: Maybe(BaseJobTemplate),
    concurrency_limit: ConcurrencyLimit,
    storage_configuration: Maybe(WorkPoolStorageConfiguration),
  }),
);
export type WorkPoolUpdate = Static<typeof WorkPoolUpdate>;

const Priority = Maybe(Type.Integer({ exclusiveMinimum: 0 }));
const filter = Type.Optional(deprecated(Nullable(QueueFilter)));

export const WorkQueueCreate = Shape('WorkQueueCreate', {
  name: Name,
  description: Type.Optional(withDefault(Nullable(Type.String()), '')),
  is_paused: withDefault(Type.Boolean(), false),
  concurrency_limit: ConcurrencyLimit,
  priority: Priority,
  filter,
});
export type WorkQueueCreate = Static<typeof WorkQueueCreate>;

/** The reference stores a name that does not fit into a URL, and then cannot show the queue. */
const NewQueueName = refine(Type.String(), (name) =>
  new RegExp(NAME_PATTERN, 'u').test(name) ? undefined : `String should match pattern '${NAME_PATTERN}'`,
);

export const WorkQueueUpdate = givenFieldsOnly(
  Shape('WorkQueueUpdate', {
    name: Maybe(NewQueueName),
    description: Maybe(Type.String()),
    is_paused: Type.Optional(withDefault(Type.Boolean(), false)),
    concurrency_limit: ConcurrencyLimit,
    priority: Priority,
    last_polled: Maybe(DateTime()),
    filter,
  }),
);
export type WorkQueueUpdate = Static<typeof WorkQueueUpdate>;

const work_pools = Maybe(WorkPoolFilter);

/** Bodies by the last segments of their route. */
export const workPoolBodies = {
  filter: Parts({ work_pools, offset, limit }, 'Body_read_work_pools_work_pools_filter_post'),
  count: Parts({ work_pools }, 'Body_count_work_pools_work_pools_count_post'),
  /** `flow_run_limit` is for each queue. */
  concurrency_status: Parts(
    { page, flow_run_limit: withDefault(Type.Integer({ minimum: 0, maximum: 200 }), 10), limit },
    'Body_read_work_pool_concurrency_status_work_pools__name__concurrency_status_post',
  ),
  get_scheduled_flow_runs: Parts(
    {
      work_queue_names: Type.Optional(ValueList(SearchedText)),
      scheduled_before: Type.Optional(DateTime()),
      scheduled_after: Type.Optional(DateTime()),
      limit,
    },
    'Body_get_scheduled_flow_runs_work_pools__name__get_scheduled_flow_runs_post',
  ),
  queues_filter: Parts(
    { work_queues: Type.Optional(WorkQueueFilter), offset, limit },
    'Body_read_work_queues_work_pools__work_pool_name__queues_filter_post',
  ),
  heartbeat: Parts(
    // Workers of a hosted server request their id with `return_id`; for other workers the value is ignored.
    {
      name: Type.String(),
      heartbeat_interval_seconds: described(
        Maybe(Type.Integer()),
        'Seconds between heartbeats. A worker is offline after three times as long without one.',
      ),
      return_id: Type.Optional(ownPart(Json())),
    },
    'Body_worker_heartbeat_work_pools__work_pool_name__workers_heartbeat_post',
  ),
  workers_filter: Parts(
    { workers: Maybe(WorkerFilter), offset, limit },
    'Body_read_workers_work_pools__work_pool_name__workers_filter_post',
  ),
};

export const workQueueBodies = {
  filter: Parts(
    { offset, work_queues: Maybe(WorkQueueFilter), limit },
    'Body_read_work_queues_work_queues_filter_post',
  ),
  get_runs: Parts(
    { scheduled_before: Type.Optional(DateTime()), limit },
    'Body_read_work_queue_runs_work_queues__id__get_runs_post',
  ),
  concurrency_status: Parts(
    { page, limit },
    'Body_read_work_queue_concurrency_status_work_queues__id__concurrency_status_post',
  ),
};
