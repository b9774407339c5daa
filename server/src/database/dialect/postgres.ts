import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from 'kysely';
import type { Tables } from '../tables/tables.ts';
import { always, type SqlDialect } from './dialect.ts';

const builder = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new PostgresIntrospector(database),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

const rowTypes = {
  uuid: 'uuid',
  text: 'text',
  timestamp: 'timestamptz',
  integer: 'bigint',
  float: 'double precision',
} as const;

export const postgresDialect: SqlDialect = {
  name: 'postgres',
  title: 'PostgreSQL',
  builder,
  get nested() {
    return postgresDialect;
  },
  // The cast is on the list, so that an index on the column serves; for a list of one value its order serves too.
  oneOf: (column, given, type) => {
    const values = distinct(given);
    return values.length === 1
      ? sql`${column} = ${values[0]}::${sql.raw(type)}`
      : sql`${column} = any(${values}::${sql.raw(type)}[])`;
  },
  // The array is computed first and then looked up; `in` may become a join that reads the whole table.
  isAmong: (column, select) => sql`${column} = any(array(${select}))`,
  // `@>` and `?|` would compare each element with each value.
  holdsAll: (column, values) => {
    const wanted = distinct(values);
    if (wanted.length === 0) return always;
    return sql`(select count(distinct held) from json_array_elements_text(${column}::json) held where held = any(${wanted}::text[])) = ${wanted.length}`;
  },
  holdsAny: (column, values) =>
    sql`exists (select 1 from json_array_elements_text(${column}::json) held where held = any(${distinct(values)}::text[]))`,
  contains: (column, text) => sql`lower(${column}) like lower(${`%${text}%`}) escape ''`,
  startsWith: (column, text) => sql`lower(${column}) like lower(${`${text}%`}) escape ''`,
  startsWithOneOf: (column, prefixes) =>
    sql`lower(${column}) like any(array(select lower(prefix || '%') from unnest(${distinct(prefixes)}::text[]) prefix))`,
  containsLiterally: (column, text) => sql`position(lower(${text}) in lower(${column})) > 0`,
  containsOneOf: (column, texts) =>
    texts.length === 1
      ? sql`position(lower(${texts[0]}) in lower(${column})) > 0`
      : sql`exists (select 1 from unnest(${distinct(texts)}::text[]) as part(value) where position(lower(part.value) in lower(${column})) > 0)`,
  occurs: (text, within) => sql`position(${text}::text in ${within}) > 0`,
  startsWithLiterally: (column, prefix) => sql`starts_with(${column}, ${prefix})`,
  arePairOf: (left, right, pairs) =>
    sql`(${left}, ${right}) in (select * from unnest(${pairs.map(([first]) => first)}::text[], ${pairs.map(([, second]) => second)}::text[]))`,
  unindexed: (expression) => sql`${expression}`,
  jsonText: (column, key) => sql`(${column}::jsonb ->> ${key})`,
  // There is no text for an escaped NUL.
  valuesIn: (column) =>
    sql`(select key as name, value from
      json_each_text(case when position('\\u0000' in ${column}) > 0 then '{}' else ${column}::json end))`,
  // Uses `json` instead of `jsonb`: only one key is read, so the rest need not be parsed.
  labelOf: (column, key) => sql`(${column}::json ->> ${key})`,
  elementsOf: (column) => sql`json_array_elements(${column}::json)`,
  foldCase: (text) => sql`lower(${text} collate "C")`,
  orderBy: (expression, direction) =>
    direction === 'asc' ? sql`${expression} asc nulls first` : sql`${expression} desc nulls last`,
  rowsFrom: (json, columns) => {
    const fields = Object.entries(columns).map(([name, type]) => sql`${sql.id(name)} ${sql.raw(rowTypes[type])}`);
    return sql`(select * from jsonb_to_recordset(${json}::jsonb) as item(${sql.join(fields)}))`;
  },
  textsFrom: (json) => sql`(select value from jsonb_array_elements_text(${json}::jsonb) as value)`,
  groupsOfEach: undefined,
  writesJson: false,
  forUpdate: sql`for update`,
  // `for update` would also skip a row that an insert refers to in another transaction.
  forUpdateSkipLocked: sql`for no key update skip locked`,
  joinInOrder: sql`join`,
  typed: (value, kind) => sql`${value}::${sql.raw(rowTypes[kind])}`,
  blockWords: {
    isOrdered: false,
    columns: sql`, words`,
    values: (words) => sql`, array_to_tsvector(string_to_array(${words}::text, ' '))`,
    insert: undefined,
    having: (words) => ({
      source: sql`log_block where log_block.words @@ ${words.map(({ text, isBeginning }) => `'${text}'${isBeginning ? ':*' : ''}`).join(' & ')}::tsquery`,
      number: sql`log_block.number`,
    }),
  },
  secondsBetween: (from, to) => sql`extract(epoch from (${to} - ${from}))::double precision`,
  shifted: (time, from, to) => sql`${time} + date_trunc('second', ${to} - ${from})`,
  intervalOf: (time, { starts }) => sql`width_bucket(${time}, ${starts}::timestamptz[]) - 1`,
};

function distinct(values: readonly string[]): readonly string[] {
  return values.length > 1 ? [...new Set(values)] : values;
}
