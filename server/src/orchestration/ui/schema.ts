/** Shapes of the routes that the reference's own interface calls. */
import type { TUnsafe } from 'typebox';
import {
  DateTime,
  JsonObject,
  lazy,
  Maybe,
  Parts,
  Shape,
  type Static,
  type TSchema,
  Type,
  Uuid,
  withDefault,
} from '../../schema/kinds.ts';
import { DeploymentFilter } from '../filters/deployment-filter.ts';
import { StateType } from '../filters/field-schema.ts';
import { offset } from '../filters/filter-schema.ts';
import { FlowFilter } from '../filters/flow-filter.ts';
import { FlowRunFilter } from '../filters/flow-run-filter.ts';
import { nullableRunFilters, runFilters } from '../filters/related-filters.ts';
import { TaskRunFilter } from '../filters/task-run-filter.ts';
import { WorkPoolFilter, WorkQueueFilter } from '../filters/work-pool-filter.ts';
import { FlowRunSort } from '../runs/flow-runs/schema.ts';
import { TaskRun } from '../runs/task-runs/schema.ts';

/** A point of the chart of runs. `timestamp` is the start, or the expected one; the others are seconds. */
export const SimpleFlowRun = Shape(
  'SimpleFlowRun',
  { id: Uuid(), state_type: StateType, timestamp: DateTime(), duration: Type.Number(), lateness: Type.Number() },
  'ignore',
);
export type SimpleFlowRun = Static<typeof SimpleFlowRun>;

export const SimpleNextFlowRun = Shape(
  'SimpleNextFlowRun',
  {
    id: Uuid(),
    flow_id: Uuid(),
    name: Type.String(),
    state_name: Type.String(),
    state_type: StateType,
    next_scheduled_start_time: DateTime(),
  },
  'ignore',
);
export type SimpleNextFlowRun = Static<typeof SimpleNextFlowRun>;

const count = withDefault(Type.Integer(), 0);

export const CountByState = Shape(
  'CountByState',
  {
    COMPLETED: count,
    PENDING: count,
    RUNNING: count,
    FAILED: count,
    CANCELLED: count,
    CRASHED: count,
    PAUSED: count,
    CANCELLING: count,
    SCHEDULED: count,
  },
  'ignore',
);
export type CountByState = Static<typeof CountByState>;

/** The counts `completed` and `failed` in one span of the dashboard's chart. */
export const TaskRunCount = Type.Unsafe<{ completed: number; failed: number }>({
  $id: 'TaskRunCount',
  type: 'object',
  additionalProperties: Type.Integer(),
});

export const UITaskRun = Shape('UITaskRun', { ...TaskRun.properties, flow_run_name: Maybe(Type.String()) }, 'ignore');
export type UITaskRun = Static<typeof UITaskRun>;

/** The fault of a value: a sentence, or the faults of a property or of an item inside it. */
export type ValueFault = string | PropertyFault | IndexFault;
interface PropertyFault {
  readonly property: string;
  readonly errors: ValueFault[];
}
interface IndexFault {
  readonly index: number;
  readonly errors: ValueFault[];
}

const faults: TUnsafe<ValueFault[]> = Type.Unsafe<ValueFault[]>({
  type: 'array',
  items: {
    anyOf: [
      Type.String(),
      lazy<PropertyFault>((): TSchema => SchemaValuePropertyError),
      lazy<IndexFault>((): TSchema => SchemaValueIndexError),
    ],
  },
});

const SchemaValuePropertyError: TSchema = Shape(
  'SchemaValuePropertyError',
  { property: Type.String(), errors: faults },
  'ignore',
);
const SchemaValueIndexError: TSchema = Shape(
  'SchemaValueIndexError',
  { index: Type.Integer(), errors: faults },
  'ignore',
);

export const SchemaValuesValidationResponse = Shape(
  'SchemaValuesValidationResponse',
  { errors: faults, valid: Type.Boolean() },
  'ignore',
);
export type SchemaValuesValidationResponse = Static<typeof SchemaValuesValidationResponse>;

/** Values by the id of a flow or run. Every requested id has an entry. */
export function ById<Value extends TSchema>(value: Value) {
  return Type.Unsafe<Record<string, Static<Value>>>({
    type: 'object',
    additionalProperties: value,
    propertyNames: { format: 'uuid' },
  });
}

const ids = Type.Array(Uuid(), { maxItems: 200 });

/** Bodies by the end of their route. */
export const uiBodies = {
  count_deployments: Parts({ flow_ids: ids }, 'Body_count_deployments_by_flow_ui_flows_count_deployments_post'),
  next_runs: Parts({ flow_ids: ids }, 'Body_next_runs_by_flow_ui_flows_next_runs_post'),
  count_task_runs: Parts({ flow_run_ids: ids }, 'Body_count_task_runs_by_flow_run_ui_flow_runs_count_task_runs_post'),
  flow_run_history: Parts(
    {
      sort: withDefault(FlowRunSort, 'EXPECTED_START_TIME_DESC'),
      limit: withDefault(Type.Integer({ maximum: 1000 }), 1000),
      offset,
      ...runFilters,
      work_pools: Type.Optional(WorkPoolFilter),
    },
    'Body_read_flow_run_history_ui_flow_runs_history_post',
  ),
  task_run_counts: Parts(
    {
      task_runs: TaskRunFilter,
      flows: Maybe(FlowFilter),
      flow_runs: Maybe(FlowRunFilter),
      deployments: Maybe(DeploymentFilter),
      work_pools: Maybe(WorkPoolFilter),
      work_queues: Maybe(WorkQueueFilter),
    },
    'Body_read_dashboard_task_run_counts_ui_task_runs_dashboard_counts_post',
  ),
  count_by_state: Parts(nullableRunFilters, 'Body_read_task_run_counts_by_state_ui_task_runs_count_post'),
  validate: Parts({ schema: JsonObject(), values: JsonObject() }, 'Body_validate_obj_ui_schemas_validate_post'),
};
