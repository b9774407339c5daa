import type { Migration } from '../migrate.ts';

/**
 * The index of the runs under way in a queue holds no run without one. On SQLite a list of three in the condition of an
 * index costs each change of a row a temporary table, so what settles it for most rows comes first.
 */
export const activeRuns: Migration = {
  name: '0046-active-runs',
  statements: {
    sqlite: [
      'drop index ix_flow_run_active',
      `create index ix_flow_run_active on flow_run (workspace, work_queue_id)
        where work_queue_id is not null and state_type in ('PENDING', 'RUNNING', 'CANCELLING')`,
    ],
    postgres: [],
  },
};
