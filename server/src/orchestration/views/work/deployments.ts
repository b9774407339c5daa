/** Deployments with their health, their last runs and their next runs. */
import { sql } from 'kysely';
import type { Context } from '../../../context/context.ts';
import { always } from '../../../database/dialect/dialect.ts';
import { statement } from '../../../database/statement.ts';
import type { Db } from '../../../database/store.ts';
import type { JsonText } from '../../../values/json.ts';
import type { Timestamp } from '../../../values/time.ts';
import { findDeployment } from '../../deployments/queries.ts';
import { deploymentResponse } from '../../deployments/response.ts';
import { type ScheduleRow, schedulesByDeployment } from '../../deployments/schedules/queries.ts';
import { limitsById } from '../../limits/global-limits/deployment-limit.ts';
import { activeSlots } from '../../limits/global-limits/usage.ts';
import { deploymentReasons } from '../../why/deployment-reasons.ts';
import { listHoldersOfLimit, listQueuesOfRuns } from '../../why/why-queries.ts';
import { runRow, runRowColumns, runRowJoins, type StoredRunRow } from '../runs/run-row.ts';
import type { DeploymentsViewBody } from './deployments-schema.ts';
import { afterPosition, pageOf } from './named-page.ts';
import { findNextStarts } from './next-starts.ts';
import { listLastRuns } from './recent-runs.ts';

const RUNS_IN_LIST = 16;
const RUNS_OF_ONE = 50;
const RUNS_WITH_VERSIONS = 1000;

interface StoredDeployment {
  readonly id: string;
  readonly name: string;
  readonly flow_id: string;
  readonly flow_name: string;
  readonly tags: JsonText;
  readonly paused: boolean;
  readonly schedule_due: Timestamp | null;
  readonly last_polled: Timestamp | null;
  readonly concurrency_limit_id: string | null;
  readonly work_queue_id: string | null;
  readonly work_queue_name: string | null;
  readonly work_pool_name: string | null;
}

export async function readDeploymentsView(context: Context, body: DeploymentsViewBody) {
  const { rows, next } = pageOf(await listRows(context.db, body), body.limit);
  return { as_of: context.now, deployments: await withHealth(context, rows), next };
}

function listRows(db: Db, body: DeploymentsViewBody): Promise<StoredDeployment[]> {
  const { name, tag, flow_id, work_pool, work_queue_id, paused, after, limit } = body;
  const { dialect } = db;
  const named = (text: string) =>
    sql<boolean>`(${dialect.containsLiterally(sql`deployment.name`, text)} or ${dialect.containsLiterally(sql`flow.name`, text)})`;
  return db.query(
    sql<StoredDeployment>`select deployment.id, deployment.name, deployment.flow_id, flow.name as flow_name, deployment.tags,
        deployment.paused, deployment.schedule_due, deployment.last_polled, deployment.concurrency_limit_id, work_queue.id as work_queue_id,
        coalesce(work_queue.name, deployment.work_queue_name) as work_queue_name, work_pool.name as work_pool_name
      from deployment join flow on flow.workspace = deployment.workspace and flow.id = deployment.flow_id
      left join work_queue on work_queue.workspace = deployment.workspace and work_queue.id = deployment.work_queue_id
      left join work_pool on work_pool.workspace = work_queue.workspace and work_pool.id = work_queue.work_pool_id
      where deployment."workspace" = ${db.workspace}
        and ${name ? named(name) : always}
        and ${tag ? dialect.holdsAll(sql`deployment.tags`, [tag]) : always}
        and ${flow_id ? sql<boolean>`deployment.flow_id = ${flow_id}` : always}
        and ${work_pool ? sql<boolean>`work_pool.name = ${work_pool}` : always}
        and ${work_queue_id ? sql<boolean>`deployment.work_queue_id = ${work_queue_id}` : always}
        and ${paused === null || paused === undefined ? always : sql<boolean>`deployment.paused = ${sql.lit(paused)}`}
        and ${afterPosition(sql`deployment.name`, sql`deployment.id`, after)}
      order by deployment.name, deployment.id limit ${limit + 1}`,
  );
}

async function withHealth(context: Context, deployments: readonly StoredDeployment[]) {
  const { db, now } = context;
  const ids = deployments.map(({ id }) => id);
  const distinct = (values: readonly (string | null)[]) => [...new Set(values.filter((value) => value !== null))];
  const [schedules, last, queues, limits, late] = await Promise.all([
    schedulesByDeployment(db, ids),
    listLastRuns(db, 'deployment', ids, RUNS_IN_LIST, now),
    listQueuesOfRuns(db, distinct(deployments.map(({ work_queue_id }) => work_queue_id)), now),
    limitsById(db, distinct(deployments.map(({ concurrency_limit_id }) => concurrency_limit_id)), now),
    countLate(db, ids),
  ]);
  const next = await findNextStarts(context, deployments, schedules);
  const queueBy = new Map(queues.map((queue) => [queue.id, queue]));
  return deployments.map((deployment) => {
    const own = schedules.get(deployment.id) ?? [];
    const limit = limits.get(deployment.concurrency_limit_id ?? '');
    return {
      ...deployment,
      schedules: own,
      late: late.get(deployment.id) ?? 0,
      last_runs: last.get(deployment.id) ?? [],
      next_run: next.get(deployment.id) ?? null,
      reasons: deploymentReasons(
        {
          ...deployment,
          ...schedulesOf(own),
          limit: limit && { ...limit, active_slots: activeSlots(limit, now), holders: [] },
          queue: queueBy.get(deployment.work_queue_id ?? ''),
        },
        now,
      ),
    };
  });
}

function schedulesOf(schedules: readonly ScheduleRow[]) {
  return { schedule_count: schedules.length, active_schedules: schedules.filter(({ active }) => active).length };
}

async function countLate(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const rows = await db.query(
    sql<{ id: string; count: number }>`select deployment_id as id, count(*) as count from flow_run
      where flow_run."workspace" = ${db.workspace} and state_type = 'SCHEDULED' and state_name = 'Late'
        and ${db.dialect.oneOf(sql`flow_run.deployment_id`, ids, 'uuid')} group by deployment_id`,
  );
  return new Map(rows.map(({ id, count }) => [id, count]));
}

const newestRuns = statement<{ id: string; now: Timestamp }, StoredRunRow>(
  (_query, given, dialect) =>
    sql<StoredRunRow>`select ${runRowColumns} from (
        select flow_run.id from flow_run where flow_run."workspace" = ${given.workspace}
          and flow_run.deployment_id = ${given.id} and flow_run.expected_start_time <= ${given.now}
        order by flow_run.expected_start_time desc limit ${sql.lit(RUNS_OF_ONE)}) page
      ${dialect.joinInOrder} flow_run on flow_run."workspace" = ${given.workspace} and flow_run.id = page.id
      ${runRowJoins} order by flow_run.expected_start_time desc, flow_run.id`,
);

interface VersionRow {
  readonly version: string | null;
  readonly runs: number;
  readonly first: Timestamp | null;
  readonly last: Timestamp | null;
}

const versionsOfRuns = statement<{ id: string; now: Timestamp }, VersionRow>(
  (_query, given) =>
    sql<VersionRow>`select version, count(*) as runs, min(due) as first, max(due) as last
      from (select deployment_version as version, expected_start_time as due from flow_run
        where flow_run."workspace" = ${given.workspace} and deployment_id = ${given.id} and expected_start_time <= ${given.now}
        order by expected_start_time desc limit ${sql.lit(RUNS_WITH_VERSIONS)}) run
      group by version order by max(due) desc`,
);

/** Undefined when the deployment does not exist. */
export async function readDeploymentView(context: Context, id: string) {
  const { db, now } = context;
  const deployment = await findDeployment(db, id);
  if (!deployment) return undefined;
  const { queue_id, limit_id } = deployment;
  const [response, runs, versions, late, queues, holders] = await Promise.all([
    deploymentResponse(db, deployment, now),
    db.all(newestRuns, { id, now }),
    db.all(versionsOfRuns, { id, now }),
    countLate(db, [id]),
    listQueuesOfRuns(db, queue_id === null ? [] : [queue_id], now),
    limit_id === null ? [] : listHoldersOfLimit(db, limit_id, now),
  ]);
  const next = await findNextStarts(context, [deployment], new Map([[id, response.schedules]]));
  const [queue] = queues;
  const limit = response.global_concurrency_limit;
  return {
    as_of: now,
    deployment: response,
    flow: { id: deployment.flow_id, name: deployment.flow_name },
    work_pool: queue
      ? {
          name: queue.pool_name,
          type: deployment.work_pool_type ?? '',
          workers_online: queue.workers_online,
          last_heartbeat: queue.last_heartbeat,
        }
      : null,
    reasons: deploymentReasons(
      { ...deployment, ...schedulesOf(response.schedules), limit: limit ? { ...limit, holders } : undefined, queue },
      now,
    ),
    late: late.get(id) ?? 0,
    next_run: next.get(id) ?? null,
    runs: runs.map((run) => runRow(run, now)),
    versions,
  };
}
