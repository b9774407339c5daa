/** Run time and lateness as SQL. `estimatedRunTime` and `estimatedStartTimeDelta` compute the same from a row. */
import { type RawBuilder, sql } from 'kysely';
import type { SqlDialect } from '../../../database/dialect/dialect.ts';
import type { Timestamp } from '../../../values/time.ts';
import type { StateType } from '../../filters/field-schema.ts';
import { terminalTypes } from './state.ts';

export type RunTable = 'flow_run' | 'task_run';

export function columnsOf(table: RunTable) {
  return (name: string) => sql.ref(`${table}.${name}`);
}

/** Seconds as whole microseconds, as `estimatedRunTime` and `estimatedStartTimeDelta` give them. */
export function inMicroseconds(seconds: RawBuilder<number>): RawBuilder<number> {
  return sql`(round(${seconds} * 1000000) / 1000000.0)`;
}

/** Seconds in RUNNING, including the current RUNNING state. */
export function runTimeOf(table: RunTable, now: Timestamp, dialect: SqlDialect): RawBuilder<number> {
  const column = columnsOf(table);
  const since = column('state_timestamp');
  const running = 'RUNNING' satisfies StateType;
  return sql`(${column('total_run_time')} + case when ${column('state_type')} = ${sql.lit(running)} and ${since} < ${now}
    then ${dialect.secondsBetween(since, sql`${now}`)} else 0 end)`;
}

/**
 * Seconds between the expected and the real start, or until now for a run that should have started. The first part has
 * the same text as in the SQLite index of a history (database/migrations/orchestration/run-orders.ts), so that SQLite
 * reads it from the index.
 */
export function latenessOf(table: RunTable, now: Timestamp, dialect: SqlDialect): RawBuilder<number> {
  const expected = columnsOf(table)('expected_start_time');
  return sql`coalesce(${latenessAtStart(table, dialect)},
    case when ${expected} < ${now} and ${columnsOf(table)('state_type')} not in (${sql.join(terminalTypes.map(sql.lit))})
      then ${dialect.secondsBetween(expected, sql`${now}`)} else 0.0 end)`;
}

/** Like `latenessOf`, for an ended run, whose lateness no longer changes. */
export function latenessOfEnded(table: RunTable, dialect: SqlDialect): RawBuilder<number> {
  return sql`coalesce(${latenessAtStart(table, dialect)}, 0.0)`;
}

/** Null for a run that has not started. */
function latenessAtStart(table: RunTable, dialect: SqlDialect): RawBuilder<number | null> {
  const column = columnsOf(table);
  const [expected, start] = [column('expected_start_time'), column('start_time')];
  return sql`case when ${start} is null then null
      when ${start} > ${expected} then ${dialect.secondsBetween(expected, start)} else 0.0 end`;
}
