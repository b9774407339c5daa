/**
 * The usual queries of one table: its columns select the rows. Each combination of columns is compiled once, and is
 * confined to the workspace if the table has one. A query that is hot, joins tables or compares otherwise is a
 * statement of its own.
 */
import { channel } from 'node:diagnostics_channel';
import { type RawBuilder, sql } from 'kysely';
import { platformStatement, type Statement, statement } from './statement.ts';
import type { Db, PlatformDb, PlatformTx, Tx } from './store.ts';
import { columnsOf, type NewRow, type PlatformTable, type Row, type TableName, tables } from './tables/tables.ts';

type Reader<Name> = Name extends PlatformTable ? PlatformDb : Db;
type Writer<Name> = Name extends PlatformTable ? PlatformTx : Tx;
/** The columns that select rows; null selects rows with null in the column. */
type Key<Name extends TableName> = Partial<NewRow<Name>>;

interface Options<Name extends TableName, Hidden extends string> {
  /** Rows that do not satisfy it are treated as missing. */
  readonly among?: RawBuilder<unknown>;
  /** Columns that these queries never return: secrets, and columns that are only computed with. */
  readonly without?: readonly (Hidden & keyof Row<Name>)[];
}

/**
 * The columns that a query reads or changes. It is published when it is first made, so that tests see which index
 * serves it.
 */
export interface Choice {
  readonly table: TableName;
  readonly columns: readonly string[];
  readonly statement: Statement<object, unknown>;
}

/** The position of a page: at most `limit` rows past the id `cursor`. */
export interface Position {
  readonly cursor: string;
  readonly limit: number;
  readonly order: 'ascending' | 'descending';
}

const choices = channel('signalbox:rows');

type ShownRow<Name extends TableName, Hidden extends string> = Omit<Row<Name>, Hidden>;

export function rows<Name extends TableName, Hidden extends string = never>(
  table: Name,
  options: Options<Name, Hidden> = {},
) {
  type R = ShownRow<Name, Hidden>;
  const { read, page, insert, change, remove } = statementsOf(table, options);
  return {
    /** Undefined when there is none. */
    first: (db: Reader<Name>, key: Key<Name>): Promise<R | undefined> => (db as Db).first(read(key), key),
    /** Returns the rows in no particular order. */
    all: (db: Reader<Name>, key: Key<Name>): Promise<R[]> => (db as Db).all(read(key), key),
    /** The rows past `cursor`, by id. */
    page: (db: Reader<Name>, key: Key<Name>, { cursor, limit, order }: Position): Promise<R[]> =>
      (db as Db).all(page(key, order), { ...key, past: cursor, limit }),
    /** Throws IntegrityConflict. */
    insert: (tx: Writer<Name>, row: NewRow<Name>): Promise<R> => (tx as Tx).first(insert(''), row) as Promise<R>,
    /** Undefined when another row conflicts: the unique index decides, so two writers cannot both succeed. */
    insertUnlessThere: (tx: Writer<Name>, row: NewRow<Name>): Promise<R | undefined> =>
      (tx as Tx).first(insert('on conflict do nothing'), row),
    /**
     * The changed row, or undefined when there is none. Columns that are undefined in `part` keep their values. Throws
     * IntegrityConflict.
     */
    change: (tx: Writer<Name>, key: Key<Name>, part: Key<Name>): Promise<R | undefined> =>
      (tx as Tx).first(...change(key, part, ' one')),
    /** Changes several rows and returns their number. */
    changeAll: (tx: Writer<Name>, key: Key<Name>, part: Key<Name>): Promise<number> =>
      (tx as Tx).run(...change(key, part, ' all')),
    /** The deleted row, or undefined when there was none. */
    remove: (tx: Writer<Name>, key: Key<Name>): Promise<R | undefined> => (tx as Tx).first(remove(key, ' one'), key),
    /** Removes several rows and returns their number. */
    removeAll: (tx: Writer<Name>, key: Key<Name>): Promise<number> => (tx as Tx).run(remove(key, ' all'), key),
  };
}

/** The statements of one table, each compiled at its first use. */
function statementsOf<Name extends TableName, Hidden extends string>(
  table: Name,
  { among, without = [] }: Options<Name, Hidden>,
) {
  type R = ShownRow<Name, Hidden>;
  const isOfWorkspace = 'workspace' in tables[table];
  const declare = (isOfWorkspace ? statement : platformStatement) as typeof statement;
  const kept = new Map<string, Statement<object, R>>();
  const shown =
    without.length === 0
      ? sql`*`
      : sql.join(
          columnsOf(table)
            .filter((name) => !(without as readonly string[]).includes(name))
            .map((name) => sql.ref(name)),
        );

  const ending = { ' one': sql`returning ${shown}`, ' all': sql`` };
  type Returning = keyof typeof ending;

  /** The statement for these columns, made once. `what` distinguishes statements for the same columns. */
  const chosen = (
    what: string,
    key: object,
    build: (conditions: RawBuilder<unknown>, given: Record<string, unknown>) => RawBuilder<R>,
  ): Statement<object, R> => {
    const columns = Object.entries(key).map(([name, value]) => {
      if (value === undefined) throw new Error(`No value chooses the rows of ${table} by ${name}.`);
      return { name, isNull: value === null };
    });
    const text = `${what} by ${columns.map(({ name, isNull }) => (isNull ? `${name} null` : name)).join()}`;
    let known = kept.get(text);
    if (known) return known;
    known = declare<object, R>((_query, all) => {
      const given = all as Record<string, unknown>;
      const conditions = columns.map(({ name, isNull }) =>
        isNull ? sql`${sql.ref(name)} is null` : sql`${sql.ref(name)} = ${given[name]}`,
      );
      if (isOfWorkspace) conditions.unshift(sql`"workspace" = ${given['workspace']}`);
      return build(sql.join([...conditions, ...(among ? [among] : [])], sql` and `), given);
    });
    kept.set(text, known);
    if (choices.hasSubscribers) {
      choices.publish({ table, columns: columns.map(({ name }) => name), statement: known } satisfies Choice);
    }
    return known;
  };
  const read = (key: object) =>
    chosen('read', key, (conditions) => sql`select ${shown} from ${sql.table(table)} where ${conditions}`);
  const insert = (otherwise: '' | 'on conflict do nothing') => {
    const known = kept.get(`insert ${otherwise}`);
    if (known) return known;
    const made = declare<object, R>((_query, all) => {
      const given = all as Record<string, unknown>;
      const columns = columnsOf(table);
      return sql`insert into ${sql.table(table)} (${sql.join(columns.map((name) => sql.ref(name)))})
        values (${sql.join(columns.map((name) => given[name]))}) ${sql.raw(otherwise)} returning ${shown}`;
    });
    kept.set(`insert ${otherwise}`, made);
    return made;
  };
  const change = (key: object, part: object, end: Returning) => {
    const changed = Object.entries(part).filter(([, value]) => value !== undefined);
    const names = changed.map(([name]) => name);
    const update = chosen(`change${end} ${names.join()}`, key, (conditions, given) => {
      const set = names.map((name) => sql`${sql.ref(name)} = ${given[`to ${name}`]}`);
      return sql`update ${sql.table(table)} set ${sql.join(set)} where ${conditions} ${ending[end]}`;
    });
    return [update, { ...key, ...Object.fromEntries(changed.map(([name, value]) => [`to ${name}`, value])) }] as const;
  };
  const remove = (key: object, end: Returning) =>
    chosen(
      `remove${end}`,
      key,
      (conditions) => sql`delete from ${sql.table(table)} where ${conditions} ${ending[end]}`,
    );
  const page = (key: object, order: Position['order']) =>
    chosen(`page ${order}`, key, (conditions, given) => {
      const [past, direction] = order === 'ascending' ? [sql`>`, sql`asc`] : [sql`<`, sql`desc`];
      return sql`select ${shown} from ${sql.table(table)} where ${conditions} and id ${past} ${given['past']}
        order by id ${direction} limit ${given['limit']}`;
    });
  return { read, page, insert, change, remove };
}
