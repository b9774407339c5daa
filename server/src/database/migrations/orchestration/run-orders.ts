/**
 * A lateness that does not depend on the clock; null if it does. Written as in
 * orchestration/runs/rows/run-estimates.ts and database/dialect/sqlite.ts, so that a query for it reads it from the
 * index.
 */
const knownLatenessOnSqlite = `(case when start_time is null then null
    when start_time > expected_start_time
      then (unixepoch(substr(start_time, 1, 19)) - unixepoch(substr(expected_start_time, 1, 19)))
        + (substr(start_time, 21, 6) - substr(expected_start_time, 21, 6)) / 1000000.0
    else 0.0 end)`;

/**
 * All columns of a run that a history and a mean lateness read. A history on SQLite runs one query for each interval
 * and type of state.
 */
const historyOnSqlite = (table: string) => [
  `create index ix_${table}_state on ${table} (workspace, state_type, expected_start_time, state_name, total_run_time,
  state_timestamp, ${knownLatenessOnSqlite}, start_time)`,
  `create index ix_${table}_history on ${table} (workspace, expected_start_time, state_type, state_name, total_run_time,
  state_timestamp, ${knownLatenessOnSqlite})`,
];

const historyOnPostgres = (table: string) => [
  `create index ix_${table}_state on ${table} (workspace, state_type, expected_start_time)
  include (state_name, start_time)`,
  `create index ix_${table}_history on ${table} (workspace, expected_start_time {nullsFirst}, state_type, state_name)
  include (start_time, state_timestamp, total_run_time, id)`,
];

const START = '(coalesce(start_time, expected_start_time))';

/**
 * The runs of a workspace, of a flow and of a deployment by their start; a run that has not started, by its expected
 * start.
 */
const startsOnSqlite = [
  `create index ix_flow_run_start on flow_run (workspace, ${START}, id, state_type, state_name)`,
  `create index ix_flow_run_flow_start on flow_run (workspace, flow_id, ${START}, id, state_type, state_name)`,
  `create index ix_flow_run_deployment_start on flow_run (workspace, deployment_id, ${START}, id, state_type, state_name)
    where deployment_id is not null`,
];

// The two times are included because an expression alone does not let the index answer without the row.
const startsOnPostgres = [
  `create index ix_flow_run_start on flow_run (workspace, ${START} {nullsFirst}, id)
    include (state_type, state_name, start_time, expected_start_time)`,
  `create index ix_flow_run_flow_start on flow_run (workspace, flow_id, ${START} {nullsFirst}, id)
    include (state_type, state_name, start_time, expected_start_time)`,
  `create index ix_flow_run_deployment_start on flow_run (workspace, deployment_id, ${START} {nullsFirst}, id)
    include (state_type, state_name, start_time, expected_start_time) where deployment_id is not null`,
];

/**
 * Indexes for lists of runs and histories. They contain the state, because runs scheduled ahead come first in these
 * orders, and a page of ended runs skips them without reading their rows. On SQLite the condition of the index of
 * running runs in a queue begins with the test that decides for most rows: a list of three states in it costs each
 * change of a row a temporary table.
 */
export const runOrders = {
  sqlite: [
    `create index ix_flow_run_active on flow_run (workspace, work_queue_id)
        where work_queue_id is not null and state_type in ('PENDING', 'RUNNING', 'CANCELLING')`,
    ...startsOnSqlite,
    ...historyOnSqlite('flow_run'),
    ...historyOnSqlite('task_run'),
  ],
  postgres: [
    `create index ix_flow_run_active on flow_run (workspace, work_queue_id)
      where state_type in ('PENDING', 'RUNNING', 'CANCELLING')`,
    ...startsOnPostgres,
    ...historyOnPostgres('flow_run'),
    ...historyOnPostgres('task_run'),
    // Statistics for the number of names that a search finds. Without them the planner always estimates almost none.
    'create statistics st_flow_run_name on (lower(name)) from flow_run',
    'create statistics st_task_run_name on (lower(name)) from task_run',
  ],
};
