import type { Migration } from '../migrate.ts';

/**
 * A lateness that does not depend on the clock, null where it does; written as in orchestration/runs/history/run-estimates.ts and
 * database/dialect-sqlite.ts, so that a query that asks for it reads it from the index.
 */
const knownLatenessOnSqlite = `(case when start_time is null then null
    when start_time > expected_start_time
      then (unixepoch(substr(start_time, 1, 19)) - unixepoch(substr(expected_start_time, 1, 19)))
        + (substr(start_time, 21, 6) - substr(expected_start_time, 21, 6)) / 1000000.0
    else 0.0 end)`;

/**
 * The runs of a type of state by time, with all that a history reads of a run: on SQLite it asks for each interval and
 * type (orchestration/runs/history/run-history-counts.ts). The index by time alone, which a mean lateness reads, no longer holds the
 * number that a time is.
 */
const onSqlite = (table: string) => [
  `drop index ix_${table}_state`,
  `create index ix_${table}_state on ${table} (workspace, state_type, expected_start_time, state_name, total_run_time,
    state_timestamp, ${knownLatenessOnSqlite})`,
  `drop index ix_${table}_history`,
  `create index ix_${table}_history on ${table} (workspace, expected_start_time, state_type, state_name, total_run_time,
    state_timestamp, ${knownLatenessOnSqlite})`,
];

export const runHistories: Migration = {
  name: '0026-run-histories',
  statements: {
    sqlite: [...onSqlite('flow_run'), ...onSqlite('task_run')],
    postgres: [],
  },
};
