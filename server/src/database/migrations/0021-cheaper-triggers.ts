import type { Migration } from './migration.ts';

/** The sums to which a run belongs: those of `flow_run_sum`, two times and two lengths. */
const placesOf = (run: string) => {
  const start = `coalesce(${run}.start_time, ${run}.expected_start_time)`;
  const begins = (seconds: number, time: string) =>
    `date_bin(make_interval(secs => ${seconds}), ${time}, timestamptz '0001-01-01 00:00:00+00')`;
  return `(values ('expected_start', 300, ${begins(300, `${run}.expected_start_time`)}),
      ('expected_start', 3600, ${begins(3600, `${run}.expected_start_time`)}),
      ('start', 300, ${begins(300, start)}), ('start', 3600, ${begins(3600, start)})) placed (placed_by, span, begins)`;
};
const runTime = (run: string) => `round(${run}.total_run_time * 1000000)::bigint`;
const lateness = (run: string) => `(case when ${run}.start_time > ${run}.expected_start_time
  then extract(epoch from ${run}.start_time - ${run}.expected_start_time) * 1000000 else 0 end)::bigint`;
const isEnded = (run: string) => `${run}.state_type in ('COMPLETED', 'FAILED', 'CRASHED', 'CANCELLED')
  and coalesce(${run}.start_time, ${run}.expected_start_time) is not null`;
/** Sums to which a run belongs, as rows of `flow_run_sum` with `sign` times its values. */
const sumsOf = (run: string, sign: 1 | -1) => `select ${run}.workspace, placed_by, span, begins, ${run}.state_type,
    ${run}.state_name, ${sign}, ${sign} * ${runTime(run)}, ${sign} * ${lateness(run)}
  from ${placesOf(run)} where begins is not null`;

const sumOf = (run: 'old' | 'new', sign: 1 | -1, foldsIf: string) => `
  declare sums flow_run_sum[] := array(select row(sums.*)::flow_run_sum from (${sumsOf(run, sign)}) sums);
  begin
    insert into flow_run_sum select * from unnest(sums);
    if ${foldsIf} then perform fold_flow_run_sum(sums); end if;
    return null;
  end`;

const columns = 'workspace, placed_by, span_seconds, begins, state_type, state_name';

/**
 * Triggers of runs on PostgreSQL that cost a transition less. An update that keeps the type of a run's state counts
 * nothing, and one that changes it writes both counts at once. A run that ends appends its sums, which are joined with
 * others now and then, as the counts are; a run that leaves them joins them at once, so that no sum of nothing is left.
 */
export const cheaperTriggers: Migration = {
  name: '0021-cheaper-triggers',
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
      // The table may have been empty when a session planned this, and have a million rows when it runs.
      `create function fold_flow_run_sum(keys flow_run_sum[]) returns void language plpgsql
        set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $fold$
        begin
          with taken as (
            delete from flow_run_sum where ctid in (
              select summed.ctid from (select distinct ${columns} from unnest(keys)) key join flow_run_sum summed
                on summed.workspace = key.workspace and summed.placed_by = key.placed_by
                  and summed.span_seconds = key.span_seconds and summed.begins = key.begins
                  and summed.state_type = key.state_type and summed.state_name = key.state_name
                for update of summed skip locked)
            returning *)
          insert into flow_run_sum
            select ${columns}, sum(count), sum(run_microseconds), sum(lateness_microseconds)
            from taken group by ${columns}
            having sum(count) <> 0 or sum(run_microseconds) <> 0 or sum(lateness_microseconds) <> 0;
        end $fold$`,
      `create or replace function sum_flow_run() returns trigger language plpgsql as $sum$ ${sumOf('new', 1, 'random() < 0.02')} $sum$`,
      `create function take_flow_run_from_sum() returns trigger language plpgsql as $take$ ${sumOf('old', -1, 'true')} $take$`,
      `create or replace function take_deleted_flow_runs() returns trigger language plpgsql as $take$
        declare sums flow_run_sum[] := array(
          select row(workspace, placed_by, span, begins, state_type, state_name, -count(*), -sum(${runTime('run')}),
            -sum(${lateness('run')}))::flow_run_sum
          from old_rows run cross join lateral ${placesOf('run')} where ${isEnded('run')} and begins is not null
          group by workspace, placed_by, span, begins, state_type, state_name);
        begin
          insert into flow_run_sum select * from unnest(sums);
          perform fold_flow_run_sum(sums);
          return null;
        end $take$`,
      'drop trigger flow_run_taken_from_sum on flow_run',
      `create trigger flow_run_taken_from_sum
        after update of state_type, state_name, expected_start_time, start_time, total_run_time on flow_run for each row
        when (${isEnded('old')}) execute function take_flow_run_from_sum()`,
      'drop function add_to_flow_run_sum(flow_run_sum)',
    ],
  },
};
