/**
 * The filters on other resources that a body may contain. Each selects the objects with a matching related row; all
 * given filters must match. The Prefect server documents null only for some routes; it counts as absent everywhere.
 */
import { Maybe, Type } from '../../schema/kinds.ts';
import { DeploymentFilter } from './deployment-filter.ts';
import { FlowFilter } from './flow-filter.ts';
import { FlowRunFilter } from './flow-run-filter.ts';
import { TaskRunFilter } from './task-run-filter.ts';
import { WorkPoolFilter, WorkQueueFilter } from './work-pool-filter.ts';

export const runFilters = {
  flows: Type.Optional(FlowFilter),
  flow_runs: Type.Optional(FlowRunFilter),
  task_runs: Type.Optional(TaskRunFilter),
  deployments: Type.Optional(DeploymentFilter),
};

export const nullableRunFilters = {
  flows: Maybe(FlowFilter),
  flow_runs: Maybe(FlowRunFilter),
  task_runs: Maybe(TaskRunFilter),
  deployments: Maybe(DeploymentFilter),
};

export const workFilters = {
  work_pools: Maybe(WorkPoolFilter),
  work_pool_queues: Maybe(WorkQueueFilter),
};
