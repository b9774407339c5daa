import type { Migration } from '../migrate.ts';

/** Tables whose rows hang on nothing that goes with a workspace. */
const tables = [
  'artifact',
  'artifact_collection',
  'automation_event',
  'event',
  'flow_run_count',
  'flow_run_sum',
  'log',
  'saved_search',
  'task_run_state_cache',
  'variable',
];

const create = [
  `create table removed_workspace (
    key {integer} primary key,
    removed {timestamp} not null,
    emptied {timestamp}
  )`,
  `insert into removed_workspace (key, removed)
    with recursive
      used(last) as (select max(key) from (select max(key) as key from workspace
        ${tables.map((table) => `union all select max(workspace) from ${table}`).join('\n')}) named),
      candidate(key) as (
        select 1 union all select candidate.key + 1 from candidate, used where candidate.key < used.last
      )
    select candidate.key, cast('1970-01-01T00:00:00.000000Z' as {timestamp}) from candidate, used
      where candidate.key <= used.last and not exists (select 1 from workspace where workspace.key = candidate.key)`,
];

/**
 * Which workspaces have been. Their keys are not given again, and what names them is deleted, whether they were deleted by
 * themselves or with their organization; those of earlier days are found by the keys that are missing.
 */
export const removedWorkspaces: Migration = {
  name: '0051-removed-workspaces',
  statements: {
    sqlite: [
      ...create,
      `create trigger workspace_removed after delete on workspace begin
        insert into removed_workspace (key, removed) values (old.key, strftime('%Y-%m-%dT%H:%M:%f000Z', 'now'));
      end`,
    ],
    postgres: [
      ...create,
      `create function workspace_removed() returns trigger language plpgsql as $removed$
      begin
        insert into removed_workspace (key, removed) values (old.key, now());
        return null;
      end $removed$`,
      'create trigger workspace_removed after delete on workspace for each row execute function workspace_removed()',
    ],
  },
};
