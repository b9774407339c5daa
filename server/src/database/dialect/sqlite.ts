import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql } from 'kysely';
import { microsecondsOf } from '../../values/time.ts';
import type { Tables } from '../tables/tables.ts';
import { always, type Expression, never, type SqlDialect } from './dialect.ts';

const builder = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new SqliteIntrospector(database),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

/** A condition on many rows looks up at most this many values one by one; a longer list becomes a set. */
const MOST_NESTED_LOOKUPS = 20;

/** Folds case as SQLite does (ASCII only), like the reference on SQLite. */
const dialect: Omit<SqlDialect, 'nested'> = {
  name: 'sqlite',
  title: 'SQLite',
  builder,
  oneOf: (column, given) => {
    const values = distinct(given);
    if (values.length === 0) return never;
    if (values.length === 1) return sql`${column} = ${values[0]}`;
    return sql`${column} in ${setOf(values)}`;
  },
  isAmong: (column, select) => sql`${column} in (${select})`,
  holdsAll: (column, values) => {
    const wanted = distinct(values);
    if (wanted.length === 0) return always;
    return sql`(select count(distinct held.value) from json_each(${column}) held where held.value in ${setOf(wanted)}) = ${wanted.length}`;
  },
  holdsAny: (column, values) =>
    sql`exists (select 1 from json_each(${column}) held where held.value in ${setOf(distinct(values))})`,
  contains: (column, text) => sql`lower(${column}) like lower(${`%${text}%`})`,
  startsWith: (column, text) => sql`lower(${column}) like lower(${`${text}%`})`,
  startsWithOneOf: (column, prefixes) =>
    prefixes.length === 1
      ? dialect.startsWith(column, prefixes[0]!)
      : sql`exists (select 1 from json_each(${JSON.stringify(distinct(prefixes))}) prefix where lower(${column}) like lower(prefix.value || '%'))`,
  containsLiterally: (column, text) => sql`instr(lower(${column}), lower(${text})) > 0`,
  containsOneOf: (column, texts) =>
    texts.length === 1
      ? dialect.containsLiterally(column, texts[0]!)
      : sql`exists (select 1 from json_each(${JSON.stringify(distinct(texts))}) part where instr(lower(${column}), lower(part.value)) > 0)`,
  occurs: (text, within) => sql`instr(${within}, ${text}) > 0`,
  // SQLite compares bytes, so every text with the prefix is below the prefix plus the last Unicode character.
  startsWithLiterally: (column, prefix) =>
    prefix === '' ? always : sql`(${column} >= ${prefix} and ${column} < ${`${prefix}\u{10ffff}`})`,
  arePairOf: (left, right, pairs) =>
    sql`(${left}, ${right}) in (select pair.value ->> 0, pair.value ->> 1 from json_each(${JSON.stringify(pairs)}) pair)`,
  unindexed: (expression) => sql`+${expression}`,
  jsonText: (column, key) => sql`(${column} ->> ${key})`,
  // SQLite reads a truth value as 1 or 0.
  valuesIn: (column) =>
    sql`(select key as name, case type when 'true' then 'true' when 'false' then 'false' else cast(value as text) end as value
      from json_each(${column}))`,
  labelOf: (column, key) =>
    // A path accepts a key in quotes unchanged, unless it has characters that JSON escapes.
    /["\\\p{Cc}]/u.test(key)
      ? sql`(select label.value from json_each(${column}) label where label.key = ${key})`
      : sql`(${column} ->> ${`$."${key}"`})`,
  elementsOf: (column) => sql`json_each(${column})`,
  foldCase: (text) => sql`lower(${text})`,
  orderBy: (expression, direction) => (direction === 'asc' ? sql`${expression} asc` : sql`${expression} desc`),
  rowsFrom: (json, columns) => {
    const fields = Object.keys(columns).map((name) => sql`item.value ->> ${sql.lit(name)} as ${sql.id(name)}`);
    return sql`(select ${sql.join(fields)} from json_each(${json}) item)`;
  },
  textsFrom: (json) => sql`json_each(${json})`,
  // Grouping sorts the rows, which costs five times as much as reading them, so it is left out if there is one group.
  groupsOfEach: (each, columns, { from, name, aggregates }) => {
    const named = aggregates.map((aggregate, index) => ({ aggregate, as: sql.ref(`value_${index}`) }));
    const values = sql.join(aggregates);
    return sql`select ${columns}, coalesce(
        (select case when count(*) = 0 then '[]'
          when min(${name}) = max(${name}) then json_array(json_array(min(${name}), ${values})) end ${from}),
        (select json_group_array(json_array(name, ${sql.join(named.map(({ as }) => as))})) from
          (select ${name} as name, ${sql.join(named.map(({ aggregate, as }) => sql`${aggregate} as ${as}`))} ${from}
            group by ${name} order by ${name}))
      ) as groups from ${each}`;
  },
  writesJson: true,
  forUpdate: sql``,
  forUpdateSkipLocked: sql``,
  joinInOrder: sql`cross join`,
  typed: (value) => sql`${value}`,
  blockWords: {
    isOrdered: true,
    columns: sql``,
    values: () => sql``,
    insert: ({ workspace, number, words }) =>
      sql`insert into log_words (rowid, words)
        select number, ${words} from log_block where "workspace" = ${workspace} and number = ${number}`,
    having: (words) => ({
      source: sql`log_words cross join log_block on log_block.number = log_words.rowid
        where log_words match ${words.map(({ text, isBeginning }) => `"${text}"${isBeginning ? '*' : ''}`).join(' AND ')}`,
      number: sql`log_words.rowid`,
    }),
  },
  secondsBetween: (from, to) =>
    // Computes whole seconds and the six digits of the fraction separately: a Julian day would round to milliseconds.
    sql`((unixepoch(substr(${to}, 1, 19)) - unixepoch(substr(${from}, 1, 19))) + (substr(${to}, 21, 6) - substr(${from}, 21, 6)) / 1000000.0)`,
  shifted: (time, from, to) => {
    const seconds = (of: Expression) => sql`unixepoch(substr(${of}, 1, 19))`;
    const moved = sql`${seconds(time)} + ${seconds(to)} - ${seconds(from)}`;
    return sql`(strftime('%Y-%m-%dT%H:%M:%S', ${moved}, 'unixepoch') || substr(${time}, 20))`;
  },
  // Computes in whole microseconds, so that a time at the edge of an interval is not rounded into the previous one.
  // Numbers are bound as floats, hence the casts.
  intervalOf: (time, { starts, lengthMicroseconds }) =>
    sql`(unixepoch(substr(${time}, 1, 19)) * 1000000 + cast(substr(${time}, 21, 6) as integer)
      - cast(${microsecondsOf(starts[0]!)} as integer)) / cast(${lengthMicroseconds} as integer)`,
};

const nestedDialect: SqlDialect = {
  ...dialect,
  get nested() {
    return nestedDialect;
  },
  // The planner assumes 25 values for every list, and would look up each value for every row.
  oneOf: (column, given, type) => {
    const values = distinct(given);
    return dialect.oneOf(values.length > MOST_NESTED_LOOKUPS ? dialect.unindexed(column) : column, values, type);
  },
};

export const sqliteDialect: SqlDialect = { ...dialect, nested: nestedDialect };

/** Computed once per statement, for any number of rows. */
function setOf(values: readonly string[]): Expression {
  return sql`(select value from json_each(${JSON.stringify(values)}))`;
}

function distinct(values: readonly string[]): readonly string[] {
  return values.length > 1 ? [...new Set(values)] : values;
}
