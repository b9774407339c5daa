import { sql } from 'kysely';
import type { Db } from '../../database/store.ts';
import type { Timestamp } from '../../values/time.ts';
import type { StateType } from '../filters/field-schema.ts';
import type { ListPart } from '../filters/pagination.ts';
import { type RelatedFilters, taskRunCondition } from '../filters/related-conditions.ts';
import { listFlowRuns } from '../runs/flow-runs/list-queries.ts';
import type { FlowRunSort } from '../runs/flow-runs/schema.ts';
import { estimatedRunTime, estimatedStartTimeDelta } from '../runs/rows/derived-columns.ts';
import type { SimpleFlowRun, SimpleNextFlowRun } from './schema.ts';

interface Count {
  readonly id: string;
  readonly count: number;
}

/** The number of deployments of each flow; 0 for an unknown flow. */
export async function countDeploymentsOfFlows(db: Db, ids: readonly string[]): Promise<Record<string, number>> {
  const counts = await db.query(
    sql<Count>`select flow_id as id, count(*) as count from deployment where deployment."workspace" = ${db.workspace}
      and ${db.dialect.oneOf(sql`deployment.flow_id`, ids, 'uuid')} group by flow_id`,
  );
  return withZeros(ids, counts);
}

/** The number of task runs of each flow run, except those that represent a subflow; 0 for an unknown run. */
export async function countTaskRunsOfRuns(db: Db, ids: readonly string[]): Promise<Record<string, number>> {
  const counts = await db.query(
    sql<Count>`select flow_run_id as id, count(*) as count from task_run where task_run."workspace" = ${db.workspace}
      and ${db.dialect.oneOf(sql`task_run.flow_run_id`, ids, 'uuid')}
      and not exists (select 1 from flow_run subflow
        where subflow.workspace = task_run.workspace and subflow.parent_task_run_id = task_run.id)
      group by flow_run_id`,
  );
  return withZeros(ids, counts);
}

function withZeros(ids: readonly string[], counts: readonly Count[]): Record<string, number> {
  return Object.fromEntries([
    ...ids.map((id) => [id, 0] as const),
    ...counts.map(({ id, count }) => [id, count] as const),
  ]);
}

/** The next scheduled run of each flow, including late ones; null without one. */
export async function findNextRuns(db: Db, ids: readonly string[]): Promise<Record<string, SimpleNextFlowRun | null>> {
  const scheduled = 'SCHEDULED' satisfies StateType;
  const runs = await db.query(
    sql<SimpleNextFlowRun>`select id, flow_id, name, state_name, state_type, next_scheduled_start_time from
      (select flow_run.*, row_number() over (partition by flow_id order by next_scheduled_start_time, id) as place
        from flow_run where flow_run."workspace" = ${db.workspace} and state_type = ${scheduled}
          and next_scheduled_start_time is not null and ${db.dialect.oneOf(sql`flow_run.flow_id`, ids, 'uuid')}) run
      where place = 1`,
  );
  return Object.fromEntries([
    ...ids.map((id) => [id, null] as const),
    ...runs.map((run) => [run.flow_id, run] as const),
  ]);
}

/** Runs as points of a chart, except those without a state or a time. */
export async function listRunPoints(
  db: Db,
  filters: RelatedFilters,
  page: ListPart<FlowRunSort>,
  now: Timestamp,
): Promise<SimpleFlowRun[]> {
  const points: SimpleFlowRun[] = [];
  for (const run of await listFlowRuns(db, filters, page)) {
    const timestamp = run.start_time ?? run.expected_start_time;
    if (run.state_type === null || timestamp === null) continue;
    points.push({
      id: run.id,
      state_type: run.state_type as StateType,
      timestamp,
      duration: estimatedRunTime(run, now),
      lateness: estimatedStartTimeDelta(run, now),
    });
  }
  return points;
}

/** Number of task runs by the type of their state. Types without task runs are omitted. */
export async function countTaskRunsByState(db: Db, filters: RelatedFilters): Promise<Partial<Record<string, number>>> {
  const counts = await db.query(
    sql<{ state_type: string; count: number }>`select state_type, count(*) as count from task_run
      where task_run."workspace" = ${db.workspace} and state_type is not null
        and ${taskRunCondition(filters, db.dialect)} group by state_type`,
  );
  return Object.fromEntries(counts.map(({ state_type, count }) => [state_type, count]));
}

interface EndedTaskRuns {
  readonly span: number;
  readonly state_type: string;
  readonly count: number;
}

/** Number of ended task runs by the time span (from 0) in which they started; none started before the first span. */
export function countEndedTaskRuns(
  db: Db,
  filters: RelatedFilters,
  spans: { readonly starts: readonly Timestamp[]; readonly lengthMicroseconds: number },
): Promise<EndedTaskRuns[]> {
  const { dialect } = db;
  const start = sql`task_run.start_time`;
  const ended = ['COMPLETED', 'CANCELLED', 'FAILED', 'CRASHED'] satisfies StateType[];
  return db.query(
    sql<EndedTaskRuns>`select ${dialect.intervalOf(start, spans)} as span, state_type, count(*) as count from task_run
      where task_run."workspace" = ${db.workspace} and ${start} >= ${spans.starts[0]}
        and ${dialect.oneOf(sql`task_run.state_type`, ended, 'text')} and ${taskRunCondition(filters, dialect)}
      group by 1, 2`,
  );
}
