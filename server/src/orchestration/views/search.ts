/** Finds objects of a workspace by a part of their name or by their id. */
import { sql } from 'kysely';
import type { Db } from '../../database/store.ts';
import { uuidSpelledBy } from '../../values/id.ts';
import type { SearchHit } from './search-schema.ts';

/** The most results of one type; the palette shows some twenty rows. */
const MOST_OF_A_TYPE = 5;

const LAST_CHARACTER = '\u{10ffff}';

/** Tables with a name and an id, and few enough rows to search all of them. */
const named = [
  'flow',
  'deployment',
  'work_pool',
  'automation',
  'variable',
  'block_document',
  'concurrency_limit',
] as const;
type Table = (typeof named)[number] | 'flow_run' | 'task_run' | 'artifact';

/** An artifact has a key instead of a name, and some have none. */
function nameOf(table: Table) {
  return table === 'artifact' ? sql.ref('artifact.key') : sql.ref(`${table}.name`);
}

/** Results by id, or by name: those whose name begins with the text come first. */
export async function searchNames(db: Db, text: string): Promise<SearchHit[]> {
  const id = uuidSpelledBy(text);
  if (id !== undefined) return findById(db, id);
  const found = await Promise.all([...named.map((table) => findByName(db, table, text)), findRunsByStart(db, text)]);
  const lower = text.toLowerCase();
  const isFirst = ({ name }: SearchHit) => (name.toLowerCase().startsWith(lower) ? 0 : 1);
  return found.flat().sort((left, right) => isFirst(left) - isFirst(right));
}

async function findById(db: Db, id: string): Promise<SearchHit[]> {
  const tables: readonly Table[] = ['flow_run', 'task_run', ...named, 'artifact'];
  const select = (table: Table) =>
    sql`select ${sql.lit(table)} as type, ${sql.ref(`${table}.id`)} as id, coalesce(${nameOf(table)}, '') as name
      from ${sql.table(table)} where ${sql.ref(`${table}.workspace`)} = ${db.workspace} and ${sql.ref(`${table}.id`)} = ${id}`;
  return db.query(sql<SearchHit>`${sql.join(tables.map(select), sql` union all `)}`, { recurs: true });
}

function findByName(db: Db, table: Table, text: string): Promise<SearchHit[]> {
  return db.query(
    sql<SearchHit>`select ${sql.lit(table)} as type, ${sql.ref(`${table}.id`)} as id, ${nameOf(table)} as name
      from ${sql.table(table)} where ${sql.ref(`${table}.workspace`)} = ${db.workspace}
        and ${db.dialect.containsLiterally(nameOf(table), text)}
      order by length(${nameOf(table)}), ${nameOf(table)} limit ${sql.lit(MOST_OF_A_TYPE)}`,
    { recurs: true },
  );
}

/** A workspace may have millions of runs, so they are found by the beginning of their name, in the index of names. */
function findRunsByStart(db: Db, text: string): Promise<SearchHit[]> {
  return db.query(
    sql<SearchHit>`select 'flow_run' as type, id, name from flow_run
      where flow_run."workspace" = ${db.workspace} and name >= ${text} and name < ${text + LAST_CHARACTER}
        and ${db.dialect.startsWithLiterally(sql`name`, text)}
      order by name limit ${sql.lit(MOST_OF_A_TYPE)}`,
    { recurs: true },
  );
}
