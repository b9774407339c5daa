import type { Migration } from '../migrate.ts';

/**
 * Related resources go with their event by what the event tells of them, so they need no index by event and no foreign
 * key: each was a B-tree, or a look at the event's row, for every related resource that is written.
 */
export const eventResourcesByEvent: Migration = {
  name: '0050-event-resources-by-event',
  statements: {
    sqlite: [
      `create table event_resource_alone (
        workspace {integer} not null,
        resource_id {text} not null,
        role {text} not null,
        occurred {timestamp} not null,
        event_id {uuid} not null,
        primary key (workspace, resource_id, occurred, event_id, role)
      ) without rowid`,
      `insert into event_resource_alone (workspace, resource_id, role, occurred, event_id)
        select workspace, resource_id, role, occurred, event_id from event_resource
        order by workspace, resource_id, occurred, event_id, role`,
      'drop table event_resource',
      'alter table event_resource_alone rename to event_resource',
      `create trigger event_resource_goes after delete on event begin
        delete from event_resource where workspace = old.workspace and occurred = old.occurred and event_id = old.id
          and resource_id in (select coalesce(value ->> '$."prefect.resource.id"', '') from json_each(old.related));
      end`,
    ],
    postgres: [
      'alter table event_resource drop constraint event_resource_workspace_event_id_fkey',
      'drop index ix_event_resource_event',
      `create function event_resource_goes() returns trigger language plpgsql as $goes$
      begin
        delete from event_resource where workspace = old.workspace and occurred = old.occurred and event_id = old.id
          and resource_id in (select coalesce(resource ->> 'prefect.resource.id', '')
            from json_array_elements(old.related::json) resource);
        return null;
      end $goes$`,
      `create trigger event_resource_goes after delete on event for each row execute function event_resource_goes()`,
    ],
  },
};
