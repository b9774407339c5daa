import type { Migration } from '../migrate.ts';

/**
 * When the scheduler next looks at a deployment (null: nothing of it is active), so that a pass reads only those whose
 * turn it is. The second index holds the runs that may become late, and not those that already are.
 */
export const schedules: Migration = {
  name: '0011-schedules',
  statements: [
    'alter table deployment add column schedule_due {timestamp}',
    `update deployment set schedule_due = updated where exists (select 1 from deployment_schedule
      where deployment_schedule.workspace = deployment.workspace and deployment_schedule.deployment_id = deployment.id)`,
    'create index ix_deployment_schedule_due on deployment (workspace, schedule_due) where schedule_due is not null',
    `create index ix_flow_run_not_late on flow_run (workspace, next_scheduled_start_time)
      where state_type = 'SCHEDULED' and state_name = 'Scheduled'`,
  ],
};
