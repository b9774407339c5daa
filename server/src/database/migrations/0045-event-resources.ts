import type { Migration } from '../migrate.ts';

/**
 * On SQLite the index by which events are found by their related resources held the whole of a row, so it becomes the
 * table: each row is written once less.
 */
export const eventResources: Migration = {
  name: '0045-event-resources',
  statements: {
    sqlite: [
      `create table event_resource_by_time (
        workspace {integer} not null,
        resource_id {text} not null,
        role {text} not null,
        occurred {timestamp} not null,
        event_id {uuid} not null,
        primary key (workspace, resource_id, occurred, event_id, role),
        foreign key (workspace, event_id) references event (workspace, id) on delete cascade
      ) without rowid`,
      `insert or ignore into event_resource_by_time (workspace, resource_id, role, occurred, event_id)
        select workspace, resource_id, role, occurred, event_id from event_resource
        order by workspace, resource_id, occurred, event_id, role`,
      'drop table event_resource',
      'alter table event_resource_by_time rename to event_resource',
      'create index ix_event_resource_event on event_resource (workspace, event_id, role)',
    ],
    postgres: [],
  },
};
