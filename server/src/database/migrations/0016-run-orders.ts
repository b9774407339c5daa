import type { Migration } from '../migrate.ts';

/**
 * Hold all that a history and a mean lateness read of a run (orchestration/runs/history/run-history.ts). On SQLite, where a time is
 * text, they also hold the numbers that are made of times, written as in database/dialect-sqlite.ts: a query that asks
 * for such an expression reads it from the index. A lateness that depends on the clock is null there.
 */
const historyOnSqlite = (table: string) =>
  `create index ix_${table}_history on ${table} (workspace, expected_start_time, state_type, state_name, total_run_time,
    state_timestamp,
    (unixepoch(substr(expected_start_time, 1, 19)) * 1000000 + cast(substr(expected_start_time, 21, 6) as integer)),
    (case when start_time is null then null
      when start_time > expected_start_time
        then (unixepoch(substr(start_time, 1, 19)) - unixepoch(substr(expected_start_time, 1, 19)))
          + (substr(start_time, 21, 6) - substr(expected_start_time, 21, 6)) / 1000000.0
      else 0.0 end))`;

const historyOnPostgres = (table: string) =>
  `create index ix_${table}_history on ${table} (workspace, expected_start_time {nullsFirst}, state_type, state_name)
    include (start_time, state_timestamp, total_run_time, id)`;

/**
 * What lists of runs and histories walk. The indexes hold the state, because runs scheduled ahead come first in these
 * orders and a page of ended ones passes over them without reading their rows.
 */
export const runOrders: Migration = {
  name: '0016-run-orders',
  statements: {
    sqlite: [
      `create index ix_flow_run_start on flow_run
        (workspace, (coalesce(start_time, expected_start_time)), id, state_type, state_name)`,
      historyOnSqlite('flow_run'),
      historyOnSqlite('task_run'),
    ],
    postgres: [
      // The two times are there because an expression alone does not let the index answer without the row.
      `create index ix_flow_run_start on flow_run
        (workspace, (coalesce(start_time, expected_start_time)) {nullsFirst}, id)
        include (state_type, state_name, start_time, expected_start_time)`,
      historyOnPostgres('flow_run'),
      historyOnPostgres('task_run'),
      // How many names a search finds is otherwise guessed, always as next to none.
      'create statistics st_flow_run_name on (lower(name)) from flow_run',
      'create statistics st_task_run_name on (lower(name)) from task_run',
    ],
  },
};
