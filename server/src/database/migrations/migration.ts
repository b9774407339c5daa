/** A change of the schema. Its name is its key and never changes once released. */
export interface Migration {
  readonly name: string;
  /**
   * DDL in the words of `columnTypes`: `{uuid}`, `{timestamp}` … One statement each, for both databases or for each. An
   * index that serves an order says `{nullsFirst}` after a column that can be null.
   */
  readonly statements: readonly string[] | Readonly<Record<'sqlite' | 'postgres', readonly string[]>>;
  /**
   * The last migration of the oldest version that goes on working with the schema after this one: such servers run on
   * beside the new one, and can be started again. It must be true of every statement, and the new version must take rows
   * that the old one still writes. Absent where no older version can.
   */
  readonly readableFrom?: string;
  /**
   * Indexes on tables that may be large. PostgreSQL builds them after the start, while the tables take writes; SQLite
   * has one process and builds them with the statements. They must not be unique, and nothing but speed may need them.
   */
  readonly lateIndexes?: readonly LateIndex[];
  /**
   * Each an update that brings at most `{limit}` older rows up to date and touches none when all are. They run after the
   * start, again and again, because an older server may still write such rows: an index must make the last, empty run
   * cheap. The inner select of rows ends with `{skipLocked}`.
   */
  readonly backfills?: readonly string[];
}

interface LateIndex {
  readonly name: string;
  /** Table and columns: `flow_run (workspace, created)`. */
  readonly on: string;
}
