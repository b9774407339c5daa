/**
 * Filters across related objects. A query on one resource may carry filters on others, which mean "a related row exists
 * that matches". All of them compile into one statement. An empty filter (`{}`) still means that a related row exists.
 * Source: the `filter` routes of the Prefect server 3.9.1.
 */
import { sql } from 'kysely';
import { always, and, type Condition, type Expression, type SqlDialect } from '../../database/dialect/dialect.ts';
import { compileFilter, type Filter, type FilterFields } from '../../database/lists/filters.ts';
import { deploymentFields } from './deployment-filter.ts';
import { flowFields } from './flow-filter.ts';
import { flowRunFields } from './flow-run-filter.ts';
import { taskRunFields } from './task-run-filter.ts';
import { workPoolFields, workQueueFields } from './work-pool-filter.ts';

/** The filters a request may carry, by their names in its body. */
export interface RelatedFilters {
  readonly flows?: Filter | null | undefined;
  readonly flow_runs?: Filter | null | undefined;
  readonly task_runs?: Filter | null | undefined;
  readonly deployments?: Filter | null | undefined;
  readonly work_pools?: Filter | null | undefined;
  readonly work_pool_queues?: Filter | null | undefined;
  /** Set by the server, never by a request: further conditions on the rows that a query reads. */
  readonly narrowing?: Narrowing | undefined;
}

interface Narrowing {
  readonly conditions: readonly Condition[];
  /** The number of values with which each row is compared. */
  readonly comparisons: number;
  /** True when a condition reads the parameters of each run, which may be large. */
  readonly readsParameters: boolean;
}

type Resource = Exclude<keyof RelatedFilters, 'where'>;

/** A filter compiled on its own table; undefined when the request does not have it. */
type Given = Condition | undefined;

/** `own` filters the table that the query reads. The other filters apply to each of its rows. */
function compileAll(filters: RelatedFilters, own: Resource | undefined, dialect: SqlDialect) {
  const compile = (name: Resource, fields: FilterFields): Given => {
    const filter = filters[name];
    return filter ? compileFilter(filter, fields, name === own ? dialect : dialect.nested) : undefined;
  };
  return {
    flow: compile('flows', flowFields),
    flowRun: compile('flow_runs', flowRunFields),
    taskRun: compile('task_runs', taskRunFields),
    deployment: compile('deployments', deploymentFields),
    workPool: compile('work_pools', workPoolFields),
    workQueue: compile('work_pool_queues', workQueueFields),
  };
}

const given = (...conditions: Given[]) => conditions.some((condition) => condition !== undefined);
const all = (...conditions: Given[]) =>
  and(conditions.filter((condition): condition is Condition => condition !== undefined && condition !== always));

/** The ids of a filter without other criteria: the foreign key and its index answer it. */
export function onlyIds(filter: Filter | null | undefined): readonly string[] | undefined {
  if (!filter) return undefined;
  const asked = Object.entries(filter).filter(
    ([name, value]) => name !== 'operator' && value !== null && value !== undefined,
  );
  const [field] = asked;
  if (asked.length !== 1 || field?.[0] !== 'id') return undefined;
  const { any_, not_any_ } = field[1] as { any_?: string[] | null; not_any_?: string[] | null };
  return any_ && !(not_any_ && not_any_.length > 0) ? any_ : undefined;
}

/**
 * The condition for queries on `flow`. One run must match the run filters, and one deployment the deployment and pool
 * filters.
 */
export function flowCondition(filters: RelatedFilters, dialect: SqlDialect): Condition {
  const on = compileAll(filters, 'flows', dialect);
  const throughRun = given(on.flowRun, on.taskRun)
    ? sql<boolean>`exists (select 1 from flow_run where flow_run.workspace = flow.workspace
        and flow_run.flow_id = flow.id and ${all(on.flowRun, existsTaskRun(on.taskRun))})`
    : always;
  const throughDeployment = given(on.deployment, on.workPool)
    ? sql<boolean>`exists (select 1 from deployment where deployment.workspace = flow.workspace
        and deployment.flow_id = flow.id and ${all(on.deployment, existsQueue('deployment', on.workPool, undefined))})`
    : always;
  return all(on.flow, throughRun, throughDeployment);
}

/** The condition for queries on `flow_run`. */
export function flowRunCondition(filters: RelatedFilters, dialect: SqlDialect): Condition {
  const on = compileAll(filters, 'flow_runs', dialect);
  const flowIds = onlyIds(filters.flows);
  const deploymentIds = onlyIds(filters.deployments);
  return all(
    on.flowRun,
    flowIds ? dialect.oneOf(sql`flow_run.flow_id`, flowIds, 'uuid') : existsFlow('flow_run', on.flow),
    deploymentIds ? dialect.oneOf(sql`flow_run.deployment_id`, deploymentIds, 'uuid') : always,
    // A run keeps the id of a deleted deployment.
    existsDeployment(deploymentIds ? always : on.deployment),
    existsTaskRun(on.taskRun),
    existsQueue('flow_run', on.workPool, on.workQueue),
    ...(filters.narrowing?.conditions ?? []),
  );
}

/** The condition for queries on `task_run`. */
export function taskRunCondition(filters: RelatedFilters, dialect: SqlDialect): Condition {
  return all(filteredTaskRuns(filters, dialect), ...(filters.narrowing?.conditions ?? []));
}

function filteredTaskRuns(filters: RelatedFilters, dialect: SqlDialect): Condition {
  const on = compileAll(filters, 'task_runs', dialect);
  const flowRunIds = onlyIds(filters.flow_runs);
  const beyond = given(on.flow, on.deployment, on.workPool, on.workQueue);
  if (flowRunIds && !beyond) return all(on.taskRun, dialect.oneOf(sql`task_run.flow_run_id`, flowRunIds, 'uuid'));
  if (!on.flowRun && !beyond) return all(on.taskRun);
  const ofRun = all(
    on.flowRun,
    existsFlow('flow_run', on.flow),
    existsDeployment(on.deployment),
    existsQueue('flow_run', on.workPool, on.workQueue),
  );
  if (ofRun === always) return all(on.taskRun, sql<boolean>`task_run.flow_run_id is not null`);
  const throughRun = sql<boolean>`exists (select 1 from flow_run where flow_run.workspace = task_run.workspace
    and flow_run.id = task_run.flow_run_id and ${ofRun})`;
  return all(on.taskRun, throughRun);
}

/** The condition for queries on `deployment`. */
export function deploymentCondition(filters: RelatedFilters, dialect: SqlDialect): Condition {
  const on = compileAll(filters, 'deployments', dialect);
  const throughRun = given(on.flowRun, on.taskRun)
    ? sql<boolean>`exists (select 1 from flow_run where flow_run.workspace = deployment.workspace
        and flow_run.deployment_id = deployment.id and ${all(on.flowRun, existsTaskRun(on.taskRun))})`
    : always;
  return all(
    on.deployment,
    existsFlow('deployment', on.flow),
    existsQueue('deployment', on.workPool, on.workQueue),
    throughRun,
  );
}

/**
 * The condition for queries on a table whose rows refer to a flow run and a task run. Either of the two may be missing.
 */
export function ofRunsCondition(
  table: 'artifact' | 'artifact_collection',
  filters: RelatedFilters,
  dialect: SqlDialect,
): Condition {
  const on = compileAll(filters, undefined, dialect);
  const owner = sql.table(table);
  const throughFlowRun = given(on.flow, on.flowRun, on.deployment)
    ? sql<boolean>`exists (select 1 from flow_run where flow_run.workspace = ${owner}.workspace
        and flow_run.id = ${owner}.flow_run_id
        and ${all(on.flowRun, existsFlow('flow_run', on.flow), existsDeployment(on.deployment))})`
    : always;
  const throughTaskRun = on.taskRun
    ? sql<boolean>`exists (select 1 from task_run where task_run.workspace = ${owner}.workspace
        and task_run.id = ${owner}.task_run_id and ${on.taskRun})`
    : always;
  return all(
    throughFlowRun,
    throughTaskRun,
    // Repeats the condition if the filter contains only ids, so that the index on the owner's column is used.
    indexedIds(sql`${owner}.flow_run_id`, filters.flow_runs, dialect),
    indexedIds(sql`${owner}.task_run_id`, filters.task_runs, dialect),
  );
}

function indexedIds(column: Expression, filter: Filter | null | undefined, dialect: SqlDialect): Condition {
  const ids = onlyIds(filter);
  return ids ? dialect.oneOf(column, ids, 'uuid') : always;
}

/** The flow of a row of `table`, which always has one. */
function existsFlow(table: 'flow_run' | 'deployment', condition: Given): Condition {
  if (!condition || condition === always) return always;
  const owner = sql.table(table);
  return sql`exists (select 1 from flow where flow.workspace = ${owner}.workspace and flow.id = ${owner}.flow_id
    and ${condition})`;
}

/** The deployment that a `flow_run` was created from. */
function existsDeployment(condition: Given): Condition {
  if (!condition) return always;
  return sql`exists (select 1 from deployment where deployment.workspace = flow_run.workspace
    and deployment.id = flow_run.deployment_id and ${condition})`;
}

/** A task run of the `flow_run`. */
function existsTaskRun(condition: Given): Condition {
  if (!condition) return always;
  return sql`exists (select 1 from task_run where task_run.workspace = flow_run.workspace
    and task_run.flow_run_id = flow_run.id and ${condition})`;
}

/** The work queue of a row of `table`, and the pool of that queue; a queue always has one. */
function existsQueue(table: 'flow_run' | 'deployment', workPool: Given, workQueue: Given): Condition {
  if (!given(workPool, workQueue)) return always;
  const owner = sql.table(table);
  const pool =
    workPool && workPool !== always
      ? sql<boolean>`exists (select 1 from work_pool where work_pool.workspace = work_queue.workspace
        and work_pool.id = work_queue.work_pool_id and ${workPool})`
      : always;
  return sql`exists (select 1 from work_queue where work_queue.workspace = ${owner}.workspace
    and work_queue.id = ${owner}.work_queue_id and ${all(workQueue, pool)})`;
}
