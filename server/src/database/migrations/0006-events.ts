import type { Migration } from '../migrate.ts';

export const events: Migration = {
  name: '0006-events',
  statements: [
    `create table event (
      workspace {integer} not null,
      id {uuid} not null,
      occurred {timestamp} not null,
      received {timestamp} not null,
      event {text} not null,
      resource_id {text} not null,
      resource {json} not null,
      related {json} not null,
      payload {json} not null,
      follows {uuid},
      primary key (workspace, id)
    )`,
    'create index ix_event_occurred on event (workspace, occurred, id)',
    'create index ix_event_resource_occurred on event (workspace, resource_id, occurred, id)',
    'create index ix_event_name_occurred on event (workspace, event, occurred, id)',
    `create table event_resource (
      workspace {integer} not null,
      resource_id {text} not null,
      role {text} not null,
      occurred {timestamp} not null,
      event_id {uuid} not null,
      foreign key (workspace, event_id) references event (workspace, id) on delete cascade
    )`,
    'create index ix_event_resource_lookup on event_resource (workspace, resource_id, occurred, event_id, role)',
    'create index ix_event_resource_event on event_resource (workspace, event_id, role)',
  ],
};
