/**
 * The values of a field in the rows of a list, most frequent first. They are counted under the other conditions of the
 * list, in a limited number of its latest rows.
 */
import { sql } from 'kysely';
import { always, type Condition, type Expression } from '../../../database/dialect/dialect.ts';
import type { FieldValue, NarrowingCondition } from '../../../database/lists/where-schema.ts';
import type { Db } from '../../../database/store.ts';
import type { Timestamp } from '../../../values/time.ts';
import { type StateType, stateTypes } from '../../filters/field-schema.ts';
import type { RelatedFilters } from '../../filters/related-conditions.ts';
import { findReadWindow } from '../../runs/history/read-window.ts';
import type { StartOrder } from '../../runs/history/start-order.ts';
import { columnsOf, runTimeOf } from '../../runs/rows/run-estimates.ts';
import { defaultStateName } from '../../runs/rows/state.ts';
import { compare } from './comparison.ts';
import { type NarrowingFields, narrow } from './narrow.ts';

/** The rows that are counted, and the values that are asked for. */
interface Counted {
  readonly db: Db;
  readonly now: Timestamp;
  readonly runs: StartOrder;
  /** True for the rows that are counted. */
  readonly condition: Condition;
  readonly text: string;
  readonly limit: number;
}

export interface ValuesFound {
  readonly values: readonly FieldValue[];
  /** The start of the earliest row that was read, where the field reads fewer rows than were allowed. */
  readonly since?: Timestamp | null;
}

export type CountValues = (counted: Counted) => Promise<ValuesFound>;

interface Asked {
  readonly field: string;
  readonly text: string;
  readonly limit: number;
}

/** A list whose values are counted. */
interface CountedList {
  readonly runs: StartOrder;
  readonly fields: NarrowingFields;
  readonly counts: Readonly<Record<string, CountValues>>;
}

export async function readValues(
  { db, now }: { readonly db: Db; readonly now: Timestamp },
  { runs, fields, counts }: CountedList,
  { filters, where }: { readonly filters: RelatedFilters; readonly where: readonly NarrowingCondition[] },
  { field, text, limit }: Asked,
) {
  const others = where.filter((condition) => condition.field !== field);
  const narrowed = await narrow({ db, now }, fields, filters, others);
  const window = await findReadWindow(db, runs, narrowed, { order: 'newest', beyond: always, counts: true });
  const { condition, end } = window;
  const { values, since } = await counts[field]!({ db, now, runs, condition, text: text.trim(), limit });
  return { values: mostFrequent(values, text, limit), counted_since: since ?? end ?? null };
}

function mostFrequent(values: readonly FieldValue[], text: string, limit: number): FieldValue[] {
  const wanted = text.trim().toLowerCase();
  return values
    .filter(({ value, label }) => [value, label].some((own) => own.toLowerCase().includes(wanted)))
    .toSorted((left, right) => right.count - left.count)
    .slice(0, limit);
}

/** `from` begins with the rows that are counted. */
function rowsOf({ db, runs: { table }, condition }: Counted): Expression {
  return sql`${sql.table(table)} where ${sql.ref(`${table}.workspace`)} = ${db.workspace} and ${condition}`;
}

interface Grouped {
  readonly value: string | number | null;
  readonly count: number;
}

/** The rows by an expression on them, which is not null. */
export async function groupedBy(counted: Counted, expression: Expression, own: Condition = always): Promise<Grouped[]> {
  const { db, limit } = counted;
  const groups = sql`(select ${expression} as value, count(*) as count from ${rowsOf(counted)} group by 1) grouped`;
  return db.query(
    sql<Grouped>`select value, count from ${groups} where value is not null and ${own}
      order by count desc, value limit ${limit}`,
  );
}

/** The values of a text column. */
export function byText(column: Expression): CountValues {
  return async (counted) => {
    const own = counted.text === '' ? always : counted.db.dialect.containsLiterally(sql`value`, counted.text);
    return { values: valuesOf(await groupedBy(counted, column, own)) };
  };
}

function valuesOf(groups: readonly Grouped[]): FieldValue[] {
  return groups.map(({ value, count }) => ({ value: String(value), label: String(value), count }));
}

/** Names of the objects that rows refer to. Objects whose name contains the text but that no row refers to come last. */
export function byName(reference: Expression, named: (db: Db) => { readonly names: Expression }): CountValues {
  return async (counted) => {
    const { db, text, limit } = counted;
    const { names } = named(db);
    const wanted = text === '' ? always : db.dialect.containsLiterally(sql`named.value`, text);
    const groups = sql`(select ${reference} as id, count(*) as count from ${rowsOf(counted)} group by 1)`;
    const found = await db.query(
      sql<Grouped>`select named.value, coalesce(sum(grouped.count), 0) as count
        from (${names}) named left join ${groups} grouped on grouped.id = named.id
        where ${wanted} group by 1 order by 2 desc, 1 limit ${limit}`,
    );
    return { values: valuesOf(found) };
  };
}

/** The tags of rows. */
export const byTag: CountValues = async (counted) => {
  const { db, runs, text, limit } = counted;
  const tags = `${runs.table}_tag`;
  const tag = sql.ref(`${tags}.tag`);
  const wanted = text === '' ? always : db.dialect.containsLiterally(tag, text);
  const found = await db.query(
    sql<Grouped>`select ${tag} as value, count(*) as count
      from (select ${sql.ref(`${runs.table}.id`)} from ${rowsOf(counted)}) counted
      ${db.dialect.joinInOrder} ${sql.table(tags)} on ${sql.ref(`${tags}.workspace`)} = ${db.workspace}
        and ${sql.ref(`${tags}.${runs.table}_id`)} = counted.id
      where ${wanted} group by 1 order by 2 desc, 1 limit ${limit}`,
  );
  return { values: valuesOf(found) };
};

/** Types of states, and the names of states that have a name of their own. */
export const byState: CountValues = async (counted) => {
  const column = columnsOf(counted.runs.table);
  const found = await counted.db.query(
    sql<{ type: StateType; name: string; count: number }>`select ${column('state_type')} as type,
        ${column('state_name')} as name, count(*) as count
      from ${rowsOf(counted)} and ${column('state_type')} is not null group by 1, 2`,
  );
  const types = stateTypes.map((type) => ({
    value: type.toLowerCase(),
    label: defaultStateName(type),
    count: found.filter((group) => group.type === type).reduce((sum, { count }) => sum + count, 0),
  }));
  const names = found
    .filter(({ type, name }) => name !== defaultStateName(type))
    .map(({ name, count }) => ({ value: name === 'Late' ? 'late' : name, label: name, count }));
  return { values: [...types, ...names].filter(({ count }) => count > 0) };
};

export const byTries: CountValues = async (counted) => ({
  values: valuesOf(await groupedBy(counted, columnsOf(counted.runs.table)('run_count'))),
});

const DURATIONS: Readonly<Record<string, string>> = {
  '<1': 'under a second',
  '<60': 'under a minute',
  '>=60': 'a minute or longer',
  '>=600': '10 minutes or longer',
  '>=3600': 'an hour or longer',
};

export const byDuration: CountValues = async (counted) => {
  const { db, now, runs } = counted;
  const seconds = runTimeOf(runs.table, now, db.dialect);
  const sums = Object.keys(DURATIONS).map(
    (value, index) => sql`sum(case when ${compare(seconds, value)} then 1 else 0 end) as ${sql.id(`at_${index}`)}`,
  );
  const [found] = await db.query(sql<Record<string, number | null>>`select ${sql.join(sums)} from ${rowsOf(counted)}`);
  const values = Object.entries(DURATIONS).map(([value, label], index) => ({
    value,
    label,
    count: found?.[`at_${index}`] ?? 0,
  }));
  return { values: values.filter(({ count }) => count > 0) };
};

/** The rows of which a fact is true, and the others. */
export function byFact(fact: Condition, labels: { readonly yes: string; readonly no: string }): CountValues {
  return async (counted) => {
    const found = await groupedBy(counted, sql`case when ${fact} then 'yes' else 'no' end`);
    return {
      values: found.map(({ value, count }) => ({ value: String(value), label: labels[value as 'yes'], count })),
    };
  };
}

/** The latest rows, for values that are not columns. */
export function latestRows<Row>(counted: Counted, columns: Expression, own: Condition, most: number): Promise<Row[]> {
  const { db, runs } = counted;
  return db.query(
    sql<Row>`select ${columns} from ${rowsOf(counted)} and ${own}
      order by ${db.dialect.orderBy(runs.start, 'desc')} limit ${most}`,
  );
}
