import {
  described,
  Enum,
  givenFieldsOnly,
  JsonObject,
  Maybe,
  Nullable,
  Parts,
  refine,
  Shape,
  type Static,
  Type,
  Uuid,
  withDefault,
} from '../../../schema/kinds.ts';
import { SearchedText, ValueList } from '../../../schema/value-list.ts';
import { CreatedBy, deprecated, Labels, RunName, StateType, stamps, Tags } from '../../filters/field-schema.ts';
import { BulkDelete, BulkDeleted, bulkLimit, limit, offset, Page, page } from '../../filters/filter-schema.ts';
import { FlowRunFilter } from '../../filters/flow-run-filter.ts';
import { nullableRunFilters, workFilters } from '../../filters/related-filters.ts';
import { WorkPoolFilter, WorkQueueFilter } from '../../filters/work-pool-filter.ts';
import { FlowRunPolicy } from '../rows/flow-run-policy.ts';
import { dueTimes, run_count, runTimes } from '../rows/run-schema.ts';
import {
  historyParts,
  SetStateStatus,
  State,
  StateCreate,
  StateResponseDetails,
  setStateParts,
} from '../rows/state-schema.ts';

const idempotency_key = described(
  Maybe(Type.String()),
  'A repeated request with the same key returns the existing run and creates no other.',
);

/** Size and other limits of parameters are settings: see `checkParameterSize`. */
export const FlowRunCreate = Shape('FlowRunCreate', {
  state: Maybe(StateCreate),
  name: RunName,
  flow_id: Uuid(),
  flow_version: Maybe(Type.String()),
  parameters: Type.Optional(JsonObject()),
  context: Type.Optional(JsonObject()),
  parent_task_run_id: Maybe(Uuid()),
  infrastructure_document_id: Maybe(Uuid()),
  empirical_policy: Type.Optional(FlowRunPolicy),
  tags: Type.Optional(Tags),
  labels: Maybe(Labels),
  idempotency_key,
  work_pool_name: Maybe(Type.String()),
  work_queue_name: Maybe(Type.String()),
  job_variables: Maybe(JsonObject()),
  deployment_id: Type.Optional(deprecated(Nullable(Uuid()))),
});
export type FlowRunCreate = Static<typeof FlowRunCreate>;

export const FlowRunUpdate = givenFieldsOnly(
  Shape('FlowRunUpdate', {
    name: RunName,
    flow_version: Maybe(Type.String()),
    parameters: Type.Optional(JsonObject()),
    empirical_policy: Type.Optional(FlowRunPolicy),
    tags: Type.Optional(Tags),
    infrastructure_pid: Maybe(Type.String()),
    job_variables: Maybe(JsonObject()),
  }),
);
export type FlowRunUpdate = Static<typeof FlowRunUpdate>;

const timing = {
  run_count,
  ...dueTimes,
  ...runTimes,
  auto_scheduled: withDefault(Type.Boolean(), false),
  infrastructure_document_id: Maybe(Uuid()),
  infrastructure_pid: Maybe(Type.String()),
  created_by: Maybe(CreatedBy),
};

/** Fields of both forms of a run, in groups that keep the field order of the Prefect server. */
const identity = {
  ...stamps,
  name: Type.Optional(Type.String()),
  flow_id: Uuid(),
  state_id: Maybe(Uuid()),
  deployment_id: Maybe(Uuid()),
  deployment_version: Maybe(Type.String()),
};
const asked = {
  flow_version: Maybe(Type.String()),
  parameters: Type.Optional(JsonObject()),
  idempotency_key,
  context: Type.Optional(JsonObject()),
  empirical_policy: Type.Optional(FlowRunPolicy),
  tags: Type.Optional(Tags),
};
const standing = {
  parent_task_run_id: Maybe(Uuid()),
  state_type: Maybe(StateType),
  state_name: Maybe(Type.String()),
  ...timing,
};

/** The form of a run that workers get from their pool: without its state and the names of pool and queue. */
export const FlowRun = Shape(
  'FlowRun',
  {
    ...identity,
    work_queue_name: Maybe(Type.String()),
    ...asked,
    labels: Maybe(Labels),
    ...standing,
    work_queue_id: Maybe(Uuid()),
    state: Maybe(State),
    job_variables: Maybe(JsonObject()),
  },
  'ignore',
);
export type FlowRun = Static<typeof FlowRun>;

export const FlowRunResponse = Shape(
  'FlowRunResponse',
  {
    ...identity,
    work_queue_id: Maybe(Uuid()),
    work_queue_name: Maybe(Type.String()),
    ...asked,
    labels: Type.Optional(Labels),
    ...standing,
    work_pool_id: Maybe(Uuid()),
    work_pool_name: Maybe(Type.String()),
    state: Maybe(State),
    job_variables: Maybe(JsonObject()),
  },
  'ignore',
);
export type FlowRunResponse = Static<typeof FlowRunResponse>;

export const FlowRunSort = Enum('FlowRunSort', [
  'ID_DESC',
  'START_TIME_ASC',
  'START_TIME_DESC',
  'EXPECTED_START_TIME_ASC',
  'EXPECTED_START_TIME_DESC',
  'NAME_ASC',
  'NAME_DESC',
  'NEXT_SCHEDULED_START_TIME_ASC',
  'END_TIME_DESC',
]);
export type FlowRunSort = Static<typeof FlowRunSort>;

export const FlowRunPaginationResponse = Page('FlowRunPaginationResponse', FlowRunResponse);
export type FlowRunPaginationResponse = Static<typeof FlowRunPaginationResponse>;

export const FlowRunBulkDeleteResponse = BulkDeleted('FlowRunBulkDeleteResponse');
export type FlowRunBulkDeleteResponse = Static<typeof FlowRunBulkDeleteResponse>;

/** The result of a bulk change for one run. */
export const FlowRunOrchestrationResult = Shape(
  'FlowRunOrchestrationResult',
  { flow_run_id: Uuid(), status: SetStateStatus, state: Maybe(State), details: StateResponseDetails },
  'ignore',
);
export type FlowRunOrchestrationResult = Static<typeof FlowRunOrchestrationResult>;

export const FlowRunBulkSetStateResponse = Shape(
  'FlowRunBulkSetStateResponse',
  { results: Type.Optional(Type.Array(FlowRunOrchestrationResult)) },
  'ignore',
);
export type FlowRunBulkSetStateResponse = Static<typeof FlowRunBulkSetStateResponse>;

/** A text that a running flow reads or a paused flow waits for. */
export const FlowRunInput = Shape(
  'FlowRunInput',
  { ...stamps, flow_run_id: Uuid(), key: Type.String(), value: Type.String(), sender: Maybe(Type.String()) },
  'ignore',
);
export type FlowRunInput = Static<typeof FlowRunInput>;

/** The Prefect server 3.9.1 answers other keys with 500. */
const InputKey = refine(Type.String(), (key) =>
  /^[a-z0-9-]*$/.test(key) ? undefined : 'Input key must only contain lowercase letters, numbers, and dashes.',
);

const filters = { ...nullableRunFilters, ...workFilters };
const sort = withDefault(FlowRunSort, 'ID_DESC');
const flow_runs = Maybe(FlowRunFilter);

/** Bodies by the last segments of their route. */
export const flowRunBodies = {
  count: Parts(filters, 'Body_count_flow_runs_flow_runs_count_post'),
  filter: Parts({ sort, offset, ...filters, limit }, 'Body_read_flow_runs_flow_runs_filter_post'),
  paginate: Parts({ sort, page, ...filters, limit }, 'Body_paginate_flow_runs_flow_runs_paginate_post'),
  lateness: Parts(filters, 'Body_average_flow_run_lateness_flow_runs_lateness_post'),
  history: Parts(
    {
      ...historyParts,
      ...nullableRunFilters,
      work_pools: Maybe(WorkPoolFilter),
      work_queues: Maybe(WorkQueueFilter),
    },
    'Body_flow_run_history_flow_runs_history_post',
  ),
  resume: Parts({ run_input: Maybe(JsonObject()) }, 'Body_resume_flow_run_flow_runs__id__resume_post'),
  set_state: Parts(setStateParts, 'Body_set_flow_run_state_flow_runs__id__set_state_post'),
  bulk_delete: BulkDelete('Body_bulk_delete_flow_runs_flow_runs_bulk_delete_post', { flow_runs }),
  bulk_set_state: Parts(
    { flow_runs, ...setStateParts, limit: bulkLimit },
    'Body_bulk_set_flow_run_state_flow_runs_bulk_set_state_post',
  ),
  input: Parts(
    {
      key: InputKey,
      value: Type.String({ contentMediaType: 'application/octet-stream' }),
      sender: Maybe(Type.String()),
    },
    'Body_create_flow_run_input_flow_runs__id__input_post',
  ),
  input_filter: Parts(
    {
      prefix: SearchedText,
      limit: withDefault(Type.Integer(), 1),
      exclude_keys: withDefault(ValueList(SearchedText), []),
    },
    'Body_filter_flow_run_input_flow_runs__id__input_filter_post',
  ),
  /** Merged into the labels of the run. The operation checks the values. */
  labels: JsonObject(),
};
