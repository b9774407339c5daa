/**
 * Sums over ended flow runs by state: their number, duration and lateness, for each five minutes and each hour of two
 * times of a run (`placed_by`): its expected start and its start. A history and a mean lateness add up these rows and
 * read single runs only at the edges of a span (orchestration/runs/history/run-sums.ts). Triggers keep the sums of
 * ended runs only: an unfinished run changes nothing here, and a value that depends on the clock cannot be in a sum.
 * Sums are in whole microseconds, so that removing a run restores exactly the former value.
 *
 * On PostgreSQL a key may have several rows, as many as there were transactions that added to it at the same time: each
 * adds to a row to which no other is adding, or makes its own, so none waits for another.
 */

/** The time that places a run. A run without a start is placed by its expected start. */
const placedBy = {
  expected_start: (run: string) => `${run}.expected_start_time`,
  start: (run: string) => `coalesce(${run}.start_time, ${run}.expected_start_time)`,
} as const;
type PlacedBy = keyof typeof placedBy;

export const flowRunSums = { sqlite: onSqlite(), postgres: onPostgres() };

function onSqlite(): string[] {
  const columns = `workspace {integer} not null, placed_by {text} not null, span_seconds {integer} not null,
    begins {timestamp} not null, state_type {text} not null, state_name {text} not null, count {integer} not null,
    run_microseconds {wide_integer} not null, lateness_microseconds {wide_integer} not null`;
  return [
    `create table flow_run_sum (${columns}, primary key (workspace, placed_by, span_seconds, begins, state_type, state_name))
      without rowid`,
    ...sqliteTriggers('expected_start'),
    ...sqliteTriggers('start'),
  ];
}

function sqliteTriggers(by: PlacedBy): string[] {
  const time = placedBy[by];
  const begins = (run: string) => ({
    300: `substr(${time(run)}, 1, 15)
      || case when substr(${time(run)}, 16, 1) < '5' then '0' else '5' end || ':00.000000Z'`,
    3600: `substr(${time(run)}, 1, 14) || '00:00.000000Z'`,
  });
  const runTime = (run: string) => `cast(round(${run}.total_run_time * 1000000) as integer)`;
  const lateness = (run: string) => `case when ${run}.start_time > ${run}.expected_start_time
    then (unixepoch(substr(${run}.start_time, 1, 19)) - unixepoch(substr(${run}.expected_start_time, 1, 19))) * 1000000
      + substr(${run}.start_time, 21, 6) - substr(${run}.expected_start_time, 21, 6)
    else 0 end`;
  // The states are compared one by one: for a list this long SQLite would build a table at every update.
  const isSummed = (run: string) => `(${run}.state_type = 'COMPLETED' or ${run}.state_type = 'FAILED'
    or ${run}.state_type = 'CRASHED' or ${run}.state_type = 'CANCELLED') and ${time(run)} is not null`;
  const add = (span: 300 | 3600) => `insert into flow_run_sum values (new.workspace, '${by}', ${span},
      ${begins('new')[span]}, new.state_type, new.state_name, 1, ${runTime('new')}, ${lateness('new')})
    on conflict do update set count = count + 1, run_microseconds = run_microseconds + excluded.run_microseconds,
      lateness_microseconds = lateness_microseconds + excluded.lateness_microseconds;`;
  const isKeyOfOld = (span: 300 | 3600) => `workspace = old.workspace and placed_by = '${by}' and span_seconds = ${span}
    and begins = ${begins('old')[span]} and state_type = old.state_type and state_name = old.state_name`;
  const take = (span: 300 | 3600) => `update flow_run_sum set count = count - 1,
      run_microseconds = run_microseconds - ${runTime('old')},
      lateness_microseconds = lateness_microseconds - ${lateness('old')} where ${isKeyOfOld(span)};
    delete from flow_run_sum where ${isKeyOfOld(span)} and count = 0;`;
  const summed = 'state_type, state_name, expected_start_time, start_time, total_run_time';
  return [
    `create trigger flow_run_summed_at_insert_by_${by} after insert on flow_run when ${isSummed('new')}
      begin ${add(300)} ${add(3600)} end`,
    `create trigger flow_run_taken_from_sum_by_${by} after update of ${summed} on flow_run when ${isSummed('old')}
      begin ${take(300)} ${take(3600)} end`,
    `create trigger flow_run_summed_by_${by} after update of ${summed} on flow_run when ${isSummed('new')}
      begin ${add(300)} ${add(3600)} end`,
    `create trigger flow_run_taken_at_delete_by_${by} after delete on flow_run when ${isSummed('old')}
      begin ${take(300)} ${take(3600)} end`,
  ];
}

function onPostgres(): string[] {
  const isEnded = (run: string) => `${run}.state_type in ('COMPLETED', 'FAILED', 'CRASHED', 'CANCELLED')
    and ${placedBy.start(run)} is not null`;
  /** The sums to which a run belongs, as rows with `placed_by`, `span` and `begins`. */
  const placesOf = (run: string) => `(select placed_by, span,
        date_bin(make_interval(secs => span), time, timestamptz '0001-01-01 00:00:00+00') as begins
      from (values ('expected_start', ${placedBy.expected_start(run)}), ('start', ${placedBy.start(run)}))
        placed (placed_by, time)
      cross join unnest(array[300, 3600]) span where time is not null)`;
  const runTime = (run: string) => `round(${run}.total_run_time * 1000000)::bigint`;
  const lateness = (run: string) => `(case when ${run}.start_time > ${run}.expected_start_time
    then extract(epoch from ${run}.start_time - ${run}.expected_start_time) * 1000000 else 0 end)::bigint`;
  const summed = 'state_type, state_name, expected_start_time, start_time, total_run_time';
  return [
    `create table flow_run_sum (
      workspace {integer} not null,
      placed_by {text} not null,
      span_seconds {integer} not null,
      begins {timestamp} not null,
      state_type {text} not null,
      state_name {text} not null,
      count {integer} not null,
      run_microseconds {wide_integer} not null,
      lateness_microseconds {wide_integer} not null
    ) with (fillfactor = 70)`,
    'create index ix_flow_run_sum on flow_run_sum (workspace, placed_by, span_seconds, begins, state_type, state_name)',
    `create function add_to_flow_run_sum(given flow_run_sum) returns void language plpgsql as $add$
      declare place tid;
      begin
        select ctid into place from flow_run_sum
          where workspace = given.workspace and placed_by = given.placed_by and span_seconds = given.span_seconds
            and begins = given.begins
            and state_type = given.state_type and state_name = given.state_name
          limit 1 for update skip locked;
        if not found then
          insert into flow_run_sum select given.*;
          return;
        end if;
        update flow_run_sum set count = count + given.count,
            run_microseconds = run_microseconds + given.run_microseconds,
            lateness_microseconds = lateness_microseconds + given.lateness_microseconds
          where ctid = place;
        -- What is taken out may have been added to another row: they become one again, or none.
        if given.count < 0 then
          with taken as (
            delete from flow_run_sum where ctid in (
              select ctid from flow_run_sum
                where workspace = given.workspace and placed_by = given.placed_by and span_seconds = given.span_seconds
            and begins = given.begins
                  and state_type = given.state_type and state_name = given.state_name
                for update skip locked)
            returning *)
          insert into flow_run_sum
            select workspace, placed_by, span_seconds, begins, state_type, state_name, sum(count), sum(run_microseconds),
              sum(lateness_microseconds)
            from taken group by 1, 2, 3, 4, 5, 6
            having sum(count) <> 0 or sum(run_microseconds) <> 0 or sum(lateness_microseconds) <> 0;
        end if;
      end $add$`,
    `create function sum_flow_run() returns trigger language plpgsql as $sum$
      declare
        run flow_run;
        sign bigint := tg_argv[0];
        place record;
        run_time bigint;
        lateness bigint;
      begin
        if sign < 0 then run := old; else run := new; end if;
        run_time := sign * ${runTime('run')};
        lateness := sign * ${lateness('run')};
        for place in select * from ${placesOf('run')} places loop
          perform add_to_flow_run_sum(row(run.workspace, place.placed_by, place.span, place.begins, run.state_type,
            run.state_name, sign, run_time, lateness)::flow_run_sum);
        end loop;
        return null;
      end $sum$`,
    // Runs that are deleted with their flow go in one statement: they are subtracted per sum, not per run.
    `create function take_deleted_flow_runs() returns trigger language plpgsql as $take$
      declare taken flow_run_sum;
      begin
        for taken in
          select workspace, placed_by, span, begins, state_type, state_name,
            -count(*), -sum(${runTime('run')}), -sum(${lateness('run')})
          from old_rows run cross join lateral ${placesOf('run')} places where ${isEnded('run')} group by 1, 2, 3, 4, 5, 6
        loop
          perform add_to_flow_run_sum(taken);
        end loop;
        return null;
      end $take$`,
    `create trigger flow_run_summed_at_insert after insert on flow_run for each row
      when (${isEnded('new')}) execute function sum_flow_run('1')`,
    `create trigger flow_run_taken_from_sum after update of ${summed} on flow_run for each row
      when (${isEnded('old')}) execute function sum_flow_run('-1')`,
    `create trigger flow_run_summed after update of ${summed} on flow_run for each row
      when (${isEnded('new')}) execute function sum_flow_run('1')`,
    `create trigger flow_run_taken_at_delete after delete on flow_run
      referencing old table as old_rows for each statement execute function take_deleted_flow_runs()`,
  ];
}
