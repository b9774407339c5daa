/** The runs of a workspace that failed, wait, run and start next. */
import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import type { Condition, Expression } from '../../database/dialect/dialect.ts';
import { statement } from '../../database/statement.ts';
import type { Db } from '../../database/store.ts';
import { addSeconds, type Timestamp } from '../../values/time.ts';
import { readOpenCauses } from '../causes/queries.ts';
import type { StateType } from '../filters/field-schema.ts';
import { isFirstHour } from '../first-hour/state.ts';
import { readFlowRunHistory } from '../runs/history/run-history.ts';
import { countFailedTrees } from '../why/failures.ts';
import { readWaits } from '../why/waits.ts';
import { explainFlowRun } from '../why/why.ts';
import { readFailedActions } from './automations/failed-actions.ts';
import { runRow, runRowColumns, runRowJoins, type StoredRunRow } from './runs/run-row.ts';

const INTERVALS = 48;
const MOST_CAUSES = 5;
const MOST_STUCK = 5;
const MOST_PAUSED = 5;
const NEW_SECONDS = 86_400;
const MOST_UPCOMING = 6;
const MOST_DURATIONS = 1000;
const PENDING_TOO_LONG_SECONDS = 300;

export async function readHomeView(context: Context, seconds: number) {
  const { db, now } = context;
  const since = addSeconds(now, -seconds);
  const pendingBefore = addSeconds(now, -PENDING_TOO_LONG_SECONDS);
  const intervalSeconds = Math.max(1, Math.ceil(seconds / INTERVALS));
  const [
    active,
    history,
    failed,
    open,
    paused,
    stuckCount,
    stuck,
    failedActions,
    upcoming,
    durations,
    objects,
    firstHour,
  ] = await Promise.all([
    db.all(activeRuns),
    readFlowRunHistory(context, {}, { start: since, end: now, intervalSeconds }),
    countFailedTrees(db, since),
    readOpenCauses(context, { since, newSince: addSeconds(now, -NEW_SECONDS), limit: MOST_CAUSES }),
    listRows(db, isPaused, sql`${db.dialect.unindexed(sql`flow_run.state_timestamp`)} asc`, MOST_PAUSED),
    db.first(countStuck, { before: pendingBefore }),
    listRows(db, isStuck(pendingBefore), longestFirst(db), MOST_STUCK),
    readFailedActions(db, since),
    listRows(db, isUpcoming(now), sql`flow_run.next_scheduled_start_time asc`, MOST_UPCOMING),
    db.all(recentDurations, { since }),
    db.first(countObjects),
    isFirstHour(context),
  ]);
  return {
    as_of: now,
    since,
    now: active,
    history,
    failed: failed.count,
    failed_counted_since: failed.counted_since,
    causes: open.causes,
    cause_count: open.count,
    paused: await waiting(context, paused),
    stuck_count: stuckCount?.count ?? 0,
    stuck: await Promise.all(stuck.map((row) => explained(context, row))),
    failed_actions: failedActions,
    upcoming: upcoming.map((row) => runRow(row, now)),
    run_time: quantilesOf(durations.map(({ run_time }) => run_time)),
    flows: objects?.flows ?? 0,
    deployments: objects?.deployments ?? 0,
    first_hour: firstHour,
  };
}

const activeRuns = statement<Record<never, never>, { state_type: StateType; state_name: string; count: number }>(
  (_query, given) =>
    sql`select state_type, state_name, count(*) as count from flow_run
      where flow_run."workspace" = ${given.workspace} and state_type in ('RUNNING', 'PENDING', 'PAUSED', 'CANCELLING', 'SCHEDULED')
      group by 1, 2 order by 1, 2`,
);

const isStuckText = (before: unknown) =>
  sql<boolean>`((flow_run.state_type = 'SCHEDULED' and flow_run.state_name = 'Late')
    or (flow_run.state_type = 'PENDING' and flow_run.state_timestamp < ${before}))`;
const isStuck = (before: Timestamp): Condition => isStuckText(before);
/** Few runs are stuck, so they are found by their states instead of their times. */
const longestFirst = ({ dialect }: Db): Expression => sql`${dialect.unindexed(sql`flow_run.expected_start_time`)} asc`;
const isPaused: Condition = sql<boolean>`flow_run.state_type = 'PAUSED'`;
const isUpcoming = (now: Timestamp): Condition =>
  sql<boolean>`(flow_run.state_type = 'SCHEDULED' and flow_run.next_scheduled_start_time >= ${now})`;

const countStuck = statement<{ before: Timestamp }, { count: number }>(
  (_query, given) =>
    sql<{ count: number }>`select count(*) as count from flow_run
      where flow_run."workspace" = ${given.workspace} and ${isStuckText(given.before)}`,
);

const recentDurations = statement<{ since: Timestamp }, { run_time: number }>(
  (_query, given) =>
    sql<{ run_time: number }>`select total_run_time as run_time from flow_run
      where flow_run."workspace" = ${given.workspace} and state_type = 'COMPLETED' and expected_start_time >= ${given.since}
      order by expected_start_time desc limit ${sql.lit(MOST_DURATIONS)}`,
);

const countObjects = statement<Record<never, never>, { flows: number; deployments: number }>(
  (_query, given) =>
    sql<{ flows: number; deployments: number }>`select
      (select count(*) from flow where "workspace" = ${given.workspace} and removed is null) as flows,
      (select count(*) from deployment where deployment."workspace" = ${given.workspace}) as deployments`,
);

function listRows(db: Db, condition: Condition, order: Expression, limit: number): Promise<StoredRunRow[]> {
  return db.query(
    sql<StoredRunRow>`select ${runRowColumns} from (
        select flow_run.id from flow_run where flow_run."workspace" = ${db.workspace} and ${condition}
        order by ${order} limit ${sql.lit(limit)}
      ) page
      ${db.dialect.joinInOrder} flow_run on flow_run."workspace" = ${db.workspace} and flow_run.id = page.id
      ${runRowJoins} order by ${order}`,
    { recurs: true },
  );
}

/** Runs with the reason why they wait. */
async function waiting(context: Context, rows: readonly StoredRunRow[]) {
  const waits = await readWaits(context, rows);
  return rows.map((row) => ({ ...runRow(row, context.now), ...waits.get(row.id) }));
}

async function explained(context: Context, row: StoredRunRow) {
  const explanation = await explainFlowRun(context, row.id);
  return { run: runRow(row, context.now), reasons: explanation?.reasons ?? [] };
}

function quantilesOf(seconds: readonly number[]) {
  const sorted = seconds.toSorted((left, right) => left - right);
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))]!;
  return sorted.length === 0 ? null : { p50: at(0.5), p95: at(0.95), count: sorted.length };
}
