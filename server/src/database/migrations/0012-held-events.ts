import type { Migration } from './migration.ts';

/** Events that count in the windows of proactive triggers that open later. */
export const heldEvents: Migration = {
  name: '0012-held-events',
  readableFrom: '0009-upstream-credentials',
  statements: [
    'alter table automation_bucket add column last_ended {timestamp}',
    `create table automation_held_event (
      workspace {integer} not null,
      trigger_id {uuid} not null,
      key_digest {text} not null,
      event_id {uuid} not null,
      automation_id {uuid} not null,
      occurred {timestamp} not null,
      held {timestamp} not null,
      primary key (workspace, trigger_id, key_digest, event_id),
      foreign key (workspace, automation_id) references automation (workspace, id) on delete cascade
    )`,
    'create index ix_automation_held_event_occurred on automation_held_event (workspace, trigger_id, key_digest, occurred)',
    'create index ix_automation_held_event_automation on automation_held_event (workspace, automation_id)',
    'create index ix_automation_held_event_held on automation_held_event (workspace, held)',
  ],
};
