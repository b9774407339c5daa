import type { Migration } from './migration.ts';

/**
 * On PostgreSQL, an update of a run that keeps the type of its state counts nothing, and one that changes it writes both
 * counts at once: tables of old and new rows cost more than the rest of a small update.
 */
export const recountedRuns: Migration = {
  name: '0021-recounted-runs',
  readableFrom: '0009-upstream-credentials',
  statements: {
    sqlite: [],
    postgres: [
      `create function recount_flow_run() returns trigger language plpgsql as $count$
        begin
          insert into flow_run_count values
            (new.workspace, coalesce(old.state_type, ''), -1), (new.workspace, coalesce(new.state_type, ''), 1);
          if random() < 0.002 then perform fold_flow_run_count(); end if;
          return null;
        end $count$`,
      'drop trigger flow_run_recounted on flow_run',
      `create trigger flow_run_recounted after update of state_type on flow_run for each row
        when (old.state_type is distinct from new.state_type) execute function recount_flow_run()`,
    ],
  },
};
