/**
 * Reads how far the first hour of a workspace has come. Objects of the sample do not count: the steps are the
 * workspace's own. Each query ends at its first row.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import type { Db } from '../../database/store.ts';
import { findClientSeen } from '../../identity/callers/client-seen.ts';
import { isToolCalledAround } from '../../mcp/gateway/record/tool-called.ts';
import { addSeconds, type Timestamp } from '../../values/time.ts';
import { effectiveStart } from '../filters/flow-run-filter.ts';
import { explainFlowRun } from '../why/why.ts';
import { AGENT_TYPE } from '../work/pools/queries.ts';
import { isDismissed } from './dismissal.ts';
import { findSample, type SampleMark } from './sample/mark.ts';
import type { FirstHour } from './schema.ts';

/** A workspace whose first flow is older has found its way. */
const FIRST_DAYS_SECONDS = 7 * 86_400;
/** Begun runs that are searched for one of a deployment. */
const NEWEST_RUNS = 200;

const NOTHING: Pick<SampleMark, 'flows' | 'deployments' | 'flow_runs' | 'work_pool'> = {
  flows: [],
  deployments: [],
  flow_runs: [],
  work_pool: '',
};

/** True if the first hour is to be shown. A workspace that is older or has dismissed it costs two look-ups. */
export async function isFirstHour(context: Context): Promise<boolean> {
  const { db, now } = context;
  const [dismissed, sample] = await Promise.all([isDismissed(db), findSample(db)]);
  if (dismissed || (await hasOldFlow(db, sample, now))) return false;
  return (await readFirstHour(context)).open;
}

export async function readFirstHour(context: Context): Promise<Omit<FirstHour, 'prefect_version'>> {
  const { db, now } = context;
  const [sample, dismissed, client] = await Promise.all([findSample(db), isDismissed(db), findClientSeen(db)]);
  const steps = await readSteps(context, sample ?? NOTHING);
  const isPast = dismissed || (await hasOldFlow(db, sample, now));
  return {
    open: !isPast && !(isComplete(steps) && (await isToolCalled(context))),
    dismissed,
    client: client ?? null,
    ...steps,
    sample: sample
      ? {
          loaded: sample.loaded,
          flows: sample.flows.length,
          deployments: sample.deployments.length,
          flow_runs: sample.flow_runs.length,
        }
      : null,
  };
}

type Steps = Omit<FirstHour, 'open' | 'dismissed' | 'prefect_version' | 'client' | 'sample'>;

/** A deployment that a process serves needs neither a pool nor a worker. */
function isComplete({ flow, deployment, deployment_run }: Steps): boolean {
  return flow !== null && deployment !== null && deployment_run !== null;
}

async function readSteps(context: Context, sample: typeof NOTHING): Promise<Steps> {
  const { db, now } = context;
  const own = (column: string, ids: readonly string[]) => sql`not ${db.dialect.oneOf(sql.ref(column), ids, 'uuid')}`;
  const first = async <R>(query: RawBuilder<R>) => (await db.query(query, { recurs: true }))[0] ?? null;
  const begun = sql`flow_run where flow_run."workspace" = ${db.workspace} and start_time is not null
    and ${effectiveStart} <= ${now} and ${own('flow_run.id', sample.flow_runs)}`;
  const newest = sql`order by ${db.dialect.orderBy(effectiveStart, 'desc')}`;
  const runColumns = sql`id, name, state_type, state_name`;
  const [flow, flow_run, deployment, deployment_run, due] = await Promise.all([
    first(
      sql<NonNullable<Steps['flow']>>`select id, name from flow where flow."workspace" = ${db.workspace}
        and removed is null and ${own('flow.id', sample.flows)} order by created limit 1`,
    ),
    first(sql<NonNullable<Steps['flow_run']>>`select ${runColumns} from ${begun} ${newest} limit 1`),
    first(
      sql<NonNullable<Steps['deployment']> & { work_pool_id: string | null }>`select deployment.id, deployment.name,
          flow.name as flow_name, work_pool.name as work_pool_name, work_pool.id as work_pool_id
        from deployment join flow on flow.workspace = deployment.workspace and flow.id = deployment.flow_id
        left join work_queue on work_queue.workspace = deployment.workspace and work_queue.id = deployment.work_queue_id
        left join work_pool on work_pool.workspace = work_queue.workspace and work_pool.id = work_queue.work_pool_id
        where deployment."workspace" = ${db.workspace} and ${own('deployment.id', sample.deployments)}
        order by deployment.created desc limit 1`,
    ),
    first(
      sql<NonNullable<Steps['deployment_run']>>`select ${runColumns} from (select ${runColumns}, deployment_id
          from ${begun} ${newest} limit ${sql.lit(NEWEST_RUNS)}) newest
        where deployment_id is not null limit 1`,
    ),
    first(
      sql<{ id: string; name: string }>`select id, name from flow_run where flow_run."workspace" = ${db.workspace}
        and state_type = 'SCHEDULED' and deployment_id is not null and next_scheduled_start_time <= ${now}
        and ${own('flow_run.id', sample.flow_runs)} order by next_scheduled_start_time desc limit 1`,
    ),
  ]);
  const isWanted = deployment?.work_pool_id
    ? sql`id = ${deployment.work_pool_id}`
    : sql`type <> ${AGENT_TYPE} and ${own('work_pool.id', sample.work_pool === '' ? [] : [sample.work_pool])}`;
  const [work_pool, explained] = await Promise.all([
    first(
      sql<NonNullable<Steps['work_pool']>>`select id, name, type, is_paused, (select count(*) from worker
          where worker."workspace" = ${db.workspace} and worker.work_pool_id = work_pool.id
            and online_until >= ${now}) as workers_online
        from work_pool where work_pool."workspace" = ${db.workspace} and ${isWanted} order by created desc limit 1`,
    ),
    due && explainFlowRun(context, due.id),
  ]);
  return {
    flow,
    flow_run,
    work_pool: work_pool && { ...work_pool, is_paused: Boolean(work_pool.is_paused) },
    deployment: deployment && withoutPoolId(deployment),
    deployment_run,
    waiting: due && { ...due, reasons: [...(explained?.reasons ?? [])] },
  };
}

function withoutPoolId<D extends { work_pool_id: string | null }>({ work_pool_id: _id, ...deployment }: D) {
  return deployment;
}

async function hasOldFlow(db: Db, sample: SampleMark | undefined, now: Timestamp): Promise<boolean> {
  const isOwn = sql`not ${db.dialect.oneOf(sql`flow.id`, sample?.flows ?? [], 'uuid')}`;
  const rows = await db.query(
    sql<{ id: string }>`select id from flow where flow."workspace" = ${db.workspace} and removed is null
      and created < ${addSeconds(now, -FIRST_DAYS_SECONDS)} and ${isOwn} limit 1`,
    { recurs: true },
  );
  return rows.length > 0;
}

/** MCP servers need accounts, so they are no step of an installation without one. */
async function isToolCalled({ db, server, workspace }: Context): Promise<boolean> {
  if (!(await server.targets.accountExists())) return true;
  return isToolCalledAround(db, workspace);
}
