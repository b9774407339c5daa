import type { Migration } from './migration.ts';

/**
 * Events. `event_resource` holds their related resources; each is deleted with its event, found by the fields of the
 * event.
 */
const events = [
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
];

const eventResource = `
  workspace {integer} not null,
  resource_id {text} not null,
  role {text} not null,
  occurred {timestamp} not null,
  event_id {uuid} not null`;

/**
 * Automations, the state of their triggers, and the two queues around them: `automation_event` holds the events that no
 * trigger has seen yet, `automation_action` the actions that a firing requested. `position` is the order in which
 * events were stored.
 *
 * A label value may be longer than an index takes, so a bucket is found by a digest of its key.
 */
const automations = [
  `create table automation (
    workspace {integer} not null,
    id {uuid} not null,
    created {timestamp} not null,
    updated {timestamp} not null,
    name {text} not null,
    description {text} not null,
    tags {json} not null,
    enabled {boolean} not null,
    "trigger" {json} not null,
    actions {json} not null,
    actions_on_trigger {json} not null,
    actions_on_resolve {json} not null,
    primary key (workspace, id),
    foreign key (workspace) references workspace (key) on delete cascade
  )`,
  'create index ix_automation_enabled on automation (workspace, id) where enabled',
  'create index ix_automation_name on automation (workspace, name)',
  `create table automation_related_resource (
    workspace {integer} not null,
    automation_id {uuid} not null,
    resource_id {text} not null,
    automation_owned_by_resource {boolean} not null,
    primary key (workspace, automation_id, resource_id),
    foreign key (workspace, automation_id) references automation (workspace, id) on delete cascade
  )`,
  'create index ix_automation_related_resource on automation_related_resource (workspace, resource_id)',
  `create table automation_progress (
    workspace {integer} primary key,
    version {integer} not null,
    last_occurred {timestamp},
    last_seen {timestamp},
    foreign key (workspace) references workspace (key) on delete cascade
  )`,
  `create table automation_bucket (
    workspace {integer} not null,
    trigger_id {uuid} not null,
    key_digest {text} not null,
    automation_id {uuid} not null,
    bucketing_key {json} not null,
    "start" {timestamp} not null,
    "end" {timestamp} not null,
    count {integer} not null,
    last_event_id {uuid},
    primary key (workspace, trigger_id, key_digest),
    foreign key (workspace, automation_id) references automation (workspace, id) on delete cascade
  )`,
  'create index ix_automation_bucket_automation on automation_bucket (workspace, automation_id)',
  'create index ix_automation_bucket_end on automation_bucket (workspace, "end")',
  `create table automation_child_firing (
    workspace {integer} not null,
    parent_trigger_id {uuid} not null,
    child_trigger_id {uuid} not null,
    automation_id {uuid} not null,
    fired {timestamp} not null,
    firing {json} not null,
    primary key (workspace, parent_trigger_id, child_trigger_id),
    foreign key (workspace, automation_id) references automation (workspace, id) on delete cascade
  )`,
  'create index ix_automation_child_firing_automation on automation_child_firing (workspace, automation_id)',
  'create index ix_automation_event_position on automation_event (workspace, position) where waits_until is null',
  'create index ix_automation_event_waiting on automation_event (workspace, waits_until) where waits_until is not null',
  'create index ix_automation_event_follows on automation_event (workspace, follows) where waits_until is not null',
  'create index ix_automation_event_event on automation_event (workspace, event_id)',
  `create table automation_action (
    workspace {integer} not null,
    id {uuid} not null,
    created {timestamp} not null,
    automation_id {uuid} not null,
    firing {json} not null,
    triggering_event {json},
    action {json} not null,
    action_index {integer} not null,
    state {text} not null,
    started {timestamp},
    holder {text},
    primary key (workspace, id),
    foreign key (workspace) references workspace (key) on delete cascade
  )`,
  'create index ix_automation_action_state on automation_action (workspace, state, created, id)',
];

const queuedEvent = `
  workspace {integer} not null,
  event_id {uuid} not null,
  follows {uuid},
  waits_until {timestamp}`;

export const eventsAndAutomations: Migration = {
  name: '0003-events',
  statements: {
    sqlite: [
      ...events,
      // The index by which events are found would contain whole rows, so the table itself is this index.
      `create table event_resource (${eventResource},
        primary key (workspace, resource_id, occurred, event_id, role)
      ) without rowid`,
      `create trigger event_resource_goes after delete on event begin
        delete from event_resource where workspace = old.workspace and occurred = old.occurred and event_id = old.id
          and resource_id in (select coalesce(value ->> '$."prefect.resource.id"', '') from json_each(old.related));
      end`,
      `create table automation_event (position {integer} primary key autoincrement, ${queuedEvent})`,
      ...automations,
    ],
    postgres: [
      ...events,
      `create table event_resource (${eventResource})`,
      'create index ix_event_resource_lookup on event_resource (workspace, resource_id, occurred, event_id, role)',
      `create function event_resource_goes() returns trigger language plpgsql as $goes$
      begin
        delete from event_resource where workspace = old.workspace and occurred = old.occurred and event_id = old.id
          and resource_id in (select coalesce(resource ->> 'prefect.resource.id', '')
            from json_array_elements(old.related::json) resource);
        return null;
      end $goes$`,
      `create trigger event_resource_goes after delete on event for each row execute function event_resource_goes()`,
      `create table automation_event (position {integer} generated always as identity primary key, ${queuedEvent})`,
      ...automations,
    ],
  },
};
