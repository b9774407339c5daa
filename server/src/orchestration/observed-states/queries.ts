import { sql } from 'kysely';
import { always, or, type SqlDialect } from '../../database/dialect/dialect.ts';
import type { Db } from '../../database/store.ts';
import { stateTypes } from '../filters/field-schema.ts';
import type { ObservedState, ObservedStateSort } from './schema.ts';

export interface ObservedStatePage {
  /** A prefix of the name or the type, ignoring the case of A to Z; undefined or blank means all. */
  readonly query: string | undefined;
  readonly sort: ObservedStateSort;
  readonly limit: number;
}

/** Types and names of the states of flow runs and task runs, with the times of the first and the last of each. */
export function listObservedStates(db: Db, { query, sort, limit }: ObservedStatePage): Promise<ObservedState[]> {
  const order = sort === 'NAME_ASC' ? sql`state_type, state_name` : sql`last_seen desc, state_type, state_name`;
  return db.query(
    sql<ObservedState>`with recursive
        flow_state(type, name) as (${namesIn(db, 'flow_run_state', 'flow_state')}),
        task_state(type, name) as (${namesIn(db, 'task_run_state', 'task_state')})
      select state_type, state_name, min(first_seen) as first_seen, max(last_seen) as last_seen
      from (${timesIn(db, 'flow_run_state', 'flow_state')} union all ${timesIn(db, 'task_run_state', 'task_state')}) found
      where ${beginsWith(query?.trim() ?? '', db.dialect)}
      group by state_type, state_name order by ${order} limit ${limit}`,
  );
}

type StateTable = 'flow_run_state' | 'task_run_state';

/** Costs one index step per name, however many states have it. The last name of each type is null. */
function namesIn(db: Db, table: StateTable, found: string) {
  const next = (type: unknown, after: unknown) =>
    sql`(select name from ${sql.table(table)} where "workspace" = ${db.workspace} and type = ${type} and ${after}
      order by name limit 1)`;
  const name = sql.ref(`${found}.name`);
  const type = sql.ref(`${found}.type`);
  return sql`select each.value, ${next(sql`each.value`, always)}
      from ${db.dialect.textsFrom(JSON.stringify(stateTypes))} each
    union all select ${type}, ${next(type, sql`name > ${name}`)} from ${sql.table(found)} where ${name} is not null`;
}

/** A state's first and last time are the ends of its part of the index. */
function timesIn(db: Db, table: StateTable, found: string) {
  const type = sql.ref(`${found}.type`);
  const name = sql.ref(`${found}.name`);
  const end = (direction: 'asc' | 'desc') =>
    sql`(select timestamp from ${sql.table(table)} where "workspace" = ${db.workspace} and type = ${type}
      and name = ${name} order by timestamp ${sql.raw(direction)} limit 1)`;
  return sql`select ${type} as state_type, ${name} as state_name, ${end('asc')} as first_seen, ${end('desc')} as last_seen
    from ${sql.table(found)} where ${name} is not null`;
}

function beginsWith(query: string, dialect: SqlDialect) {
  if (query === '') return always;
  const begin = query.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
  const columns = [sql`state_name`, sql`state_type`];
  return or(columns.map((column) => dialect.startsWithLiterally(dialect.foldCase(column), begin)));
}
