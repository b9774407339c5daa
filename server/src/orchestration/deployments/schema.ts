import {
  DateTime,
  described,
  Enum,
  givenFieldsOnly,
  JsonObject,
  Maybe,
  Nullable,
  OneOf,
  Parts,
  refine,
  Shape,
  type Static,
  Type,
  Uuid,
  withDefault,
} from '../../schema/kinds.ts';
import { ValueList } from '../../schema/value-list.ts';
import type { JsonText } from '../../values/json.ts';
import { DeploymentFilter } from '../filters/deployment-filter.ts';
import { CreatedBy, deprecated, Labels, RunName, stamps, Tags, UpdatedBy } from '../filters/field-schema.ts';
import { BulkDelete, BulkDeleted, limit, offset, Page, page } from '../filters/filter-schema.ts';
import { nullableRunFilters, workFilters } from '../filters/related-filters.ts';
import { GlobalConcurrencyLimitResponse } from '../limits/global-limits/schema.ts';
import { parameterSchemaFault, validateParameters } from '../parameters/parameter-schema.ts';
import { FlowRunPolicy } from '../runs/rows/flow-run-policy.ts';
import { StateCreate } from '../runs/rows/state-schema.ts';
import { DeploymentSchedule, DeploymentScheduleCreate, DeploymentScheduleUpdate } from './schedules/schema.ts';

export const ConcurrencyLimitStrategy = Enum('ConcurrencyLimitStrategy', ['ENQUEUE', 'CANCEL_NEW']);
export type ConcurrencyLimitStrategy = Static<typeof ConcurrencyLimitStrategy>;

export const ConcurrencyOptions = Shape(
  'ConcurrencyOptions',
  {
    collision_strategy: ConcurrencyLimitStrategy,
    grace_period_seconds: Maybe(Type.Integer({ minimum: 60, maximum: 86400 })),
  },
  'ignore',
);
export type ConcurrencyOptions = Static<typeof ConcurrencyOptions>;

/** Accepted with any content, and dropped: a self-hosted server keeps no versions. */
export const VersionInfo = {
  ...Shape('VersionInfo', { type: Type.String(), version: Type.String() }, 'ignore'),
  additionalProperties: true,
};
export type VersionInfo = Static<typeof VersionInfo>;

export const DeploymentStatus = Enum('DeploymentStatus', ['READY', 'NOT_READY']);
export type DeploymentStatus = Static<typeof DeploymentStatus>;

/** The reference answers 500 for a name that does not fit into a URL; an empty one is allowed. */
const DeploymentName = refine(Type.String(), (name) =>
  /[/%&><]/.test(name) ? 'Deployment name must not contain any of / % & > <' : undefined,
);

const ConcurrencyLimit = Type.Integer({ exclusiveMinimum: 0 });
const PullSteps = Type.Array(JsonObject());

function notBothLimits(deployment: {
  concurrency_limit?: number | null;
  global_concurrency_limit_id?: string | null;
}): string | undefined {
  return deployment.concurrency_limit && deployment.global_concurrency_limit_id
    ? 'A deployment cannot have both a concurrency limit and a global concurrency limit.'
    : undefined;
}

export function brokenSchema(fault: string): string {
  return `The provided schema is not a valid json schema. Schema error: ${fault}`;
}

/** Parameters are checked here only if the request says that they must fit the schema beside them. */
function parameterFault(deployment: {
  enforce_parameter_schema?: boolean;
  parameter_openapi_schema?: JsonText | null;
  parameters?: JsonText;
}): string | undefined {
  const { enforce_parameter_schema, parameter_openapi_schema: schema, parameters = '{}' as JsonText } = deployment;
  if (!enforce_parameter_schema || !schema || schema === '{}') return undefined;
  const fault = parameterSchemaFault(schema);
  if (fault) return brokenSchema(fault);
  return validateParameters(schema, parameters, { ignoreRequired: true, prepare: false })?.message;
}

/**
 * If the deployment exists under the same name, only given fields change; a new one gets the defaults. The exception is
 * `parameters`, `schedules` and `labels`: absent means empty, even for an existing one.
 */
export const DeploymentCreate = givenFieldsOnly(
  refine(
    Shape('DeploymentCreate', {
      name: DeploymentName,
      flow_id: Uuid(),
      paused: Type.Optional(withDefault(Type.Boolean(), false)),
      schedules: Type.Optional(Type.Array(DeploymentScheduleCreate)),
      concurrency_limit: described(Maybe(ConcurrencyLimit), 'Maximum number of runs at a time. Null: no limit.'),
      concurrency_options: Maybe(ConcurrencyOptions),
      global_concurrency_limit_id: Maybe(Uuid()),
      enforce_parameter_schema: described(
        Type.Optional(withDefault(Type.Boolean(), true)),
        'Whether the server rejects parameters that do not match the schema.',
      ),
      parameter_openapi_schema: Maybe(JsonObject()),
      parameters: Type.Optional(JsonObject()),
      tags: Type.Optional(Tags),
      labels: Maybe(Labels),
      pull_steps: Maybe(PullSteps),
      work_queue_name: Maybe(Type.String()),
      work_pool_name: Maybe(Type.String()),
      storage_document_id: Maybe(Uuid()),
      infrastructure_document_id: Maybe(Uuid()),
      description: Maybe(Type.String()),
      path: Maybe(Type.String()),
      version: Maybe(Type.String()),
      entrypoint: Maybe(Type.String()),
      job_variables: Type.Optional(JsonObject()),
      version_info: Maybe(VersionInfo),
    }),
    (deployment) => notBothLimits(deployment) ?? parameterFault(deployment),
  ),
);
export type DeploymentCreate = Static<typeof DeploymentCreate>;

export const DeploymentUpdate = givenFieldsOnly(
  refine(
    Shape('DeploymentUpdate', {
      version: Maybe(Type.String()),
      description: Maybe(Type.String()),
      paused: Type.Optional(withDefault(Type.Boolean(), false)),
      schedules: Type.Optional(Type.Array(DeploymentScheduleUpdate)),
      concurrency_limit: described(Maybe(ConcurrencyLimit), 'Maximum number of runs at a time. Null: no limit.'),
      concurrency_options: Maybe(ConcurrencyOptions),
      global_concurrency_limit_id: Maybe(Uuid()),
      parameters: Maybe(JsonObject()),
      parameter_openapi_schema: Maybe(JsonObject()),
      tags: Type.Optional(Tags),
      work_queue_name: Maybe(Type.String()),
      work_pool_name: Maybe(Type.String()),
      path: Maybe(Type.String()),
      job_variables: Maybe(JsonObject()),
      pull_steps: Maybe(PullSteps),
      entrypoint: Maybe(Type.String()),
      storage_document_id: Maybe(Uuid()),
      infrastructure_document_id: Maybe(Uuid()),
      enforce_parameter_schema: described(
        Maybe(Type.Boolean()),
        'Whether the server rejects parameters that do not match the schema.',
      ),
      version_info: Maybe(VersionInfo),
    }),
    notBothLimits,
  ),
);
export type DeploymentUpdate = Static<typeof DeploymentUpdate>;

export const DeploymentResponse = Shape(
  'DeploymentResponse',
  {
    ...stamps,
    name: Type.String(),
    version: Maybe(Type.String()),
    description: Maybe(Type.String()),
    flow_id: Uuid(),
    paused: withDefault(Type.Boolean(), false),
    schedules: Type.Optional(Type.Array(DeploymentSchedule)),
    /** Always null; the limit is in `global_concurrency_limit`. */
    concurrency_limit: described(
      Type.Optional(deprecated(Nullable(Type.Integer()))),
      'Maximum number of runs at a time. Null: no limit.',
    ),
    global_concurrency_limit: Maybe(GlobalConcurrencyLimitResponse),
    concurrency_options: Maybe(ConcurrencyOptions),
    job_variables: Type.Optional(JsonObject()),
    parameters: Type.Optional(JsonObject()),
    tags: Type.Optional(Tags),
    labels: Type.Optional(Labels),
    work_queue_name: Maybe(Type.String()),
    work_queue_id: Maybe(Uuid()),
    last_polled: Maybe(DateTime()),
    parameter_openapi_schema: Maybe(JsonObject()),
    path: Maybe(Type.String()),
    pull_steps: Maybe(PullSteps),
    entrypoint: Maybe(Type.String()),
    storage_document_id: Maybe(Uuid()),
    infrastructure_document_id: Maybe(Uuid()),
    created_by: Maybe(CreatedBy),
    updated_by: Maybe(UpdatedBy),
    work_pool_name: Maybe(Type.String()),
    status: withDefault(Nullable(DeploymentStatus), 'NOT_READY'),
    enforce_parameter_schema: described(
      withDefault(Type.Boolean(), true),
      'Whether the server rejects parameters that do not match the schema.',
    ),
  },
  'ignore',
);
export type DeploymentResponse = Static<typeof DeploymentResponse>;

export const DeploymentFlowRunCreate = Shape('DeploymentFlowRunCreate', {
  state: Maybe(StateCreate),
  name: RunName,
  parameters: Type.Optional(JsonObject()),
  enforce_parameter_schema: described(
    Maybe(Type.Boolean()),
    'Whether the server rejects parameters that do not match the schema.',
  ),
  context: Type.Optional(JsonObject()),
  infrastructure_document_id: Maybe(Uuid()),
  empirical_policy: Type.Optional(FlowRunPolicy),
  tags: Type.Optional(Tags),
  idempotency_key: described(
    Maybe(Type.String()),
    'A repeated request with the same key returns the existing run and creates no other.',
  ),
  labels: Maybe(Labels),
  parent_task_run_id: Maybe(Uuid()),
  work_queue_name: Maybe(Type.String()),
  job_variables: Maybe(JsonObject()),
});
export type DeploymentFlowRunCreate = Static<typeof DeploymentFlowRunCreate>;

export const FlowRunCreateResult = Shape(
  'FlowRunCreateResult',
  { flow_run_id: Maybe(Uuid()), status: OneOf(['CREATED', 'FAILED']), error: Maybe(Type.String()) },
  'ignore',
);
export type FlowRunCreateResult = Static<typeof FlowRunCreateResult>;

export const FlowRunBulkCreateResponse = Shape(
  'FlowRunBulkCreateResponse',
  { results: Type.Optional(Type.Array(FlowRunCreateResult)) },
  'ignore',
);
export type FlowRunBulkCreateResponse = Static<typeof FlowRunBulkCreateResponse>;

export const DeploymentSort = Enum('DeploymentSort', ['CREATED_DESC', 'UPDATED_DESC', 'NAME_ASC', 'NAME_DESC']);
export type DeploymentSort = Static<typeof DeploymentSort>;

export const DeploymentPaginationResponse = Page('DeploymentPaginationResponse', DeploymentResponse);
export type DeploymentPaginationResponse = Static<typeof DeploymentPaginationResponse>;

export const DeploymentBulkDeleteResponse = BulkDeleted('DeploymentBulkDeleteResponse');
export type DeploymentBulkDeleteResponse = Static<typeof DeploymentBulkDeleteResponse>;

const filters = { ...nullableRunFilters, ...workFilters };
const sort = withDefault(DeploymentSort, 'NAME_ASC');

/** Bodies by the last segments of their route. */
export const deploymentBodies = {
  count: Parts(filters, 'Body_count_deployments_deployments_count_post'),
  filter: Parts({ offset, ...filters, sort, limit }, 'Body_read_deployments_deployments_filter_post'),
  paginate: Parts({ page, ...filters, sort, limit }, 'Body_paginate_deployments_deployments_paginate_post'),
  bulk_delete: BulkDelete('Body_bulk_delete_deployments_deployments_bulk_delete_post', {
    deployments: Maybe(DeploymentFilter),
  }),
  get_scheduled_flow_runs: Parts(
    {
      deployment_ids: ValueList(Uuid()),
      scheduled_before: Type.Optional(DateTime()),
      limit,
    },
    'Body_get_scheduled_flow_runs_for_deployments_deployments_get_scheduled_flow_runs_post',
  ),
  /** `min_time` is in seconds. */
  schedule: Parts(
    {
      start_time: Type.Optional(DateTime()),
      end_time: Type.Optional(DateTime()),
      min_time: Type.Optional(Type.Number({ format: 'time-delta' })),
      min_runs: Type.Optional(Type.Integer()),
      max_runs: Type.Optional(Type.Integer()),
    },
    'Body_schedule_deployment_deployments__id__schedule_post',
  ),
  schedules: Type.Array(DeploymentScheduleCreate),
  create_flow_run_bulk: Type.Array(DeploymentFlowRunCreate),
};
