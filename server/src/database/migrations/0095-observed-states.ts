import type { Migration } from '../migrate.ts';

/** The states of a workspace are listed by type and name, with the first and the last time of each. */
export const observedStates: Migration = {
  name: '0095-observed-states',
  statements: [
    'create index ix_flow_run_state_observed on flow_run_state (workspace, type, name, timestamp)',
    'create index ix_task_run_state_observed on task_run_state (workspace, type, name, timestamp)',
  ],
};
