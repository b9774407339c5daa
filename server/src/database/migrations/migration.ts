/** A change of the schema. Its name is its key and never changes once released. */
export interface Migration {
  readonly name: string;
  /**
   * DDL with the types of `columnTypes`: `{uuid}`, `{timestamp}` … One statement each, for both databases or for each.
   * An index that serves an order says `{nullsFirst}` after a column that can be null.
   */
  readonly statements: readonly string[] | Readonly<Record<'sqlite' | 'postgres', readonly string[]>>;
  /**
   * The last migration of the oldest version that can work with the schema after this one: such servers keep running
   * beside the new one, and can be started again. It must hold for every statement, and the new version must accept
   * rows that the old one still writes. Absent if no older version can.
   */
  readonly readableFrom?: string;
  /**
   * Indexes on tables that may be large. PostgreSQL builds them after the start, while the tables accept writes; SQLite
   * has one process and builds them with the statements. They must not be unique, may only affect speed, and are not for
   * divided tables: PostgreSQL builds no index on all partitions beside writes.
   */
  readonly lateIndexes?: readonly LateIndex[];
  /**
   * Updates, each of which brings at most `{limit}` older rows up to date and touches none when all are. They run
   * repeatedly after the start, because an older server may still write such rows: an index must make the last, empty
   * run cheap. The inner select of rows ends with `{skipLocked}`.
   */
  readonly backfills?: readonly string[];
  /**
   * True if PostgreSQL divides tables by time from here on: those of a new database at once, those of an older one after
   * the start. `readableFrom` holds until then; a version that does not know this migration cannot read divided tables.
   */
  readonly dividesTables?: boolean;
}

interface LateIndex {
  readonly name: string;
  /** Table and columns: `flow_run (workspace, created)`. */
  readonly on: string;
  /** Set if only this database has the columns. */
  readonly only?: 'postgres';
}
