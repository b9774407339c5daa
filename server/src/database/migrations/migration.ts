/** A change of the schema. Its name is its key and never changes once released. */
export interface Migration {
  readonly name: string;
  /**
   * DDL in the words of `columnTypes`: `{uuid}`, `{timestamp}` … One statement each, for both databases or for each. An
   * index that serves an order says `{nullsFirst}` after a column that can be null.
   */
  readonly statements: readonly string[] | Readonly<Record<'sqlite' | 'postgres', readonly string[]>>;
}
