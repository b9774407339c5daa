import type { Migration } from '../migrate.ts';

/** What background services wait for, so that a pass reads what is due and never the runs. */
export const runDeadlines: Migration = {
  name: '0012-run-deadlines',
  statements: [
    `create table flow_run_pause (
      workspace {integer} not null,
      flow_run_id {uuid} not null,
      expires_at {timestamp} not null,
      primary key (workspace, flow_run_id),
      foreign key (workspace, flow_run_id) references flow_run (workspace, id) on delete cascade
    )`,
    'create index ix_flow_run_pause_expires_at on flow_run_pause (workspace, expires_at)',
    `create table flow_run_cancellation (
      workspace {integer} not null,
      flow_run_id {uuid} not null,
      cancelled_at {timestamp} not null,
      due {timestamp} not null,
      primary key (workspace, flow_run_id),
      foreign key (workspace, flow_run_id) references flow_run (workspace, id) on delete cascade
    )`,
    'create index ix_flow_run_cancellation_due on flow_run_cancellation (workspace, due)',
    `create table flow_run_heartbeat (
      workspace {integer} not null,
      flow_run_id {uuid} not null,
      last_occurred {timestamp} not null,
      received {timestamp} not null,
      interval_seconds {float},
      silent_at {timestamp} not null,
      primary key (workspace, flow_run_id),
      foreign key (workspace, flow_run_id) references flow_run (workspace, id) on delete cascade
    )`,
    'create index ix_flow_run_heartbeat_silent_at on flow_run_heartbeat (workspace, silent_at)',
    `create index ix_flow_run_cancelling on flow_run (workspace, state_timestamp) where state_type = 'CANCELLING'`,
  ],
};
