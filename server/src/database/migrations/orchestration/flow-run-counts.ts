/**
 * Number of flow runs in each state, kept by triggers, so that the counts of a dashboard do not read every run. On
 * SQLite each state has one row. On PostgreSQL each statement appends its changes, because a row that every transition
 * updates would make transitions wait for each other; now and then a statement folds the rows together.
 */
export const flowRunCounts = {
  sqlite: [
    `create table flow_run_count (
        workspace {integer} not null,
        state_type {text} not null,
        count {integer} not null,
        primary key (workspace, state_type)
      ) without rowid`,
    `create trigger flow_run_counted_in after insert on flow_run begin
        insert into flow_run_count values (new.workspace, coalesce(new.state_type, ''), 1)
          on conflict do update set count = count + 1;
      end`,
    `create trigger flow_run_recounted after update of state_type on flow_run
        when old.state_type is not new.state_type begin
        update flow_run_count set count = count - 1
          where workspace = old.workspace and state_type = coalesce(old.state_type, '');
        insert into flow_run_count values (new.workspace, coalesce(new.state_type, ''), 1)
          on conflict do update set count = count + 1;
      end`,
    `create trigger flow_run_counted_out after delete on flow_run begin
        update flow_run_count set count = count - 1
          where workspace = old.workspace and state_type = coalesce(old.state_type, '');
      end`,
  ],
  postgres: [
    'create table flow_run_count (workspace {integer} not null, state_type {text} not null, count {integer} not null)',
    'create index ix_flow_run_count on flow_run_count (workspace, state_type)',
    `create function fold_flow_run_count() returns void language sql as $fold$
        with folded as (
          delete from flow_run_count where ctid in (
            select ctid from flow_run_count limit 10000 for update skip locked
          ) returning workspace, state_type, count
        )
        insert into flow_run_count select workspace, state_type, sum(count) from folded
          group by workspace, state_type having sum(count) <> 0
      $fold$`,
    `create function count_flow_runs() returns trigger language plpgsql as $count$
      begin
        if tg_op <> 'DELETE' then
          insert into flow_run_count
            select workspace, coalesce(state_type, ''), count(*) from new_rows group by 1, 2;
        end if;
        if tg_op <> 'INSERT' then
          insert into flow_run_count
            select workspace, coalesce(state_type, ''), -count(*) from old_rows group by 1, 2;
        end if;
        if random() < 0.002 then perform fold_flow_run_count(); end if;
        return null;
      end $count$`,
    `create trigger flow_run_counted_in after insert on flow_run
        referencing new table as new_rows for each statement execute function count_flow_runs()`,
    `create trigger flow_run_recounted after update on flow_run
        referencing old table as old_rows new table as new_rows for each statement execute function count_flow_runs()`,
    `create trigger flow_run_counted_out after delete on flow_run
        referencing old table as old_rows for each statement execute function count_flow_runs()`,
  ],
};
