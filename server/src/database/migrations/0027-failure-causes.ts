import type { Migration } from './migration.ts';

/** The columns of `recurring` in `database/tables/failures.ts`. */
const recurring = `first_seen {timestamp} not null,
      last_seen {timestamp} not null,
      count {integer} not null,
      days {json} not null,
      resolved {timestamp},
      regressed {timestamp},
      muted_until {timestamp},
      muted_until_count {integer},
      owner_id {uuid},
      owner_name {text}`;

const columns = 'workspace, id, flow_run_id, timestamp';

/** Failures of before the migration that are sorted by their causes, the newest. */
const MOST_EARLIER = 10_000;

/**
 * The failures of flow runs, sorted by their causes. A trigger keeps each failure, whichever version or import writes it,
 * and a service sorts it later. Only states that failed cost the trigger more than a comparison. Causes outlive their
 * runs. The failures of MCP servers have causes of their own, which are counted as the requests are recorded.
 */
export const failureCauses: Migration = {
  name: '0027-failure-causes',
  readableFrom: '0009-upstream-credentials',
  statements: {
    sqlite: [
      ...tables(),
      `create trigger flow_run_failed after insert on flow_run_state when new.type in ('FAILED', 'CRASHED') begin
        insert into failure (${columns}) values (new.workspace, new.id, new.flow_run_id, new.timestamp)
          on conflict do nothing;
      end`,
      ...earlier(),
    ],
    postgres: [
      ...tables(),
      `create function keep_failure() returns trigger language plpgsql as $keep$
        begin
          insert into failure (${columns}) values (new.workspace, new.id, new.flow_run_id, new.timestamp)
            on conflict do nothing;
          return null;
        end $keep$`,
      `create trigger flow_run_failed after insert on flow_run_state for each row
        when (new.type in ('FAILED', 'CRASHED')) execute function keep_failure()`,
      ...earlier(),
    ],
  },
};

function tables(): string[] {
  return [
    `create table failure (
      workspace {integer} not null,
      id {uuid} not null,
      flow_run_id {uuid} not null,
      timestamp {timestamp} not null,
      cause_id {uuid},
      part_of {uuid},
      primary key (workspace, flow_run_id, id),
      foreign key (workspace, flow_run_id) references flow_run (workspace, id) on delete cascade
    )`,
    'create index ix_failure_unsorted on failure (workspace, timestamp, id) where cause_id is null',
    'create index ix_failure_cause on failure (workspace, cause_id, timestamp) where cause_id is not null and part_of is null',
    `create table failure_cause (
      workspace {integer} not null,
      id {uuid} not null,
      created {timestamp} not null,
      updated {timestamp} not null,
      flow_id {uuid} not null,
      cause {text} not null,
      ${recurring},
      versions {json} not null,
      last_run_id {uuid} not null,
      last_run_name {text} not null,
      last_state_type {text} not null,
      last_state_name {text} not null,
      last_message {text},
      primary key (workspace, id),
      unique (workspace, flow_id, cause),
      foreign key (workspace, flow_id) references flow (workspace, id) on delete cascade
    )`,
    'create index ix_failure_cause_last_seen on failure_cause (workspace, last_seen, id)',
    `create table mcp_failure_cause (
      id {uuid} primary key,
      created {timestamp} not null,
      updated {timestamp} not null,
      server_id {uuid} not null,
      failure {text} not null,
      ${recurring},
      last_text {text},
      unique (server_id, failure),
      foreign key (server_id) references mcp_server (id) on delete cascade
    )`,
  ];
}

function earlier(): string[] {
  return [
    `insert into failure (${columns}) select workspace, state_id, id, state_timestamp from flow_run
      where state_type in ('FAILED', 'CRASHED') and state_id is not null and state_timestamp is not null
      order by state_timestamp desc limit ${MOST_EARLIER}`,
  ];
}
