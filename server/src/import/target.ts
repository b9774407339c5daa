/** The workspace that an import fills, and what it has brought so far. */
import { sql } from 'kysely';
import type { Db, Store, Tx } from '../database/store.ts';
import type { NewRow, TableName, Tables } from '../database/tables.ts';
import { ConfigError, IntegrityConflict } from '../errors.ts';
import type { Clock } from '../time.ts';
import { UnreadableObject } from './rows.ts';

/** Tables of a workspace whose rows have an id. */
type TableWithId = { [Name in TableName]: NewRow<Name> extends { id: string } ? Name : never }[TableName];

type RowWithId<Name extends TableName> = NewRow<Name> & { readonly id: string };

export interface Brought {
  /** Objects that the source answered. */
  read: number;
  /** Those that were not here before. */
  added: number;
}

export class Target {
  readonly store: Store;
  readonly clock: Clock;
  readonly workspace: number;
  /** What was read and added, by the kind of object as people call it, in the order of the import. */
  readonly brought = new Map<string, Brought>();
  /** What is active in the source and was brought inactive. */
  inactiveSchedules = 0;
  disabledAutomations = 0;
  /** Runs that have not begun, which stay behind. */
  waitingRuns = 0;
  readonly #remarks: string[] = [];
  /** Objects that could not be read, by kind, and why the first of them could not. */
  readonly #unreadable = new Map<string, { count: number; readonly reason: string }>();
  /** Ids of the source for objects that were here already under another id, because their name was taken. */
  readonly #ids = new Map<string, string>();

  constructor(store: Store, clock: Clock, workspace: number) {
    this.store = store;
    this.clock = clock;
    this.workspace = workspace;
  }

  get db(): Db {
    return this.store.reads(this.workspace, { background: true });
  }

  remark(sentence: string): void {
    this.#remarks.push(sentence);
  }

  /** Sentences for the person who runs the import: what was left out, and what is left to do. */
  get remarks(): readonly string[] {
    const unreadable = [...this.#unreadable].map(
      ([kind, { count, reason }]) =>
        `${count} ${kind} that cannot be read stay in the source. The first one: ${reason}`,
    );
    return [...this.#remarks, ...unreadable];
  }

  /**
   * What `make` gives for each record of runs. One that cannot be read is counted and left out, so that it does not keep
   * the others away.
   */
  readable<Given, Made>(kind: string, given: readonly Given[], make: (one: Given) => Made): Made[] {
    return given.flatMap((one) => {
      try {
        return [make(one)];
      } catch (error) {
        if (!(error instanceof UnreadableObject)) throw error;
        const known = this.#unreadable.get(kind);
        this.#unreadable.set(kind, { count: (known?.count ?? 0) + 1, reason: known?.reason ?? error.message });
        return [];
      }
    });
  }

  /** The id here of an object of the source. */
  idOf(id: string): string;
  idOf(id: unknown): string | null;
  idOf(id: unknown): string | null {
    return typeof id === 'string' ? (this.#ids.get(id) ?? id) : null;
  }

  isHereAs(id: string, idHere: string): void {
    if (id !== idHere) this.#ids.set(id, idHere);
  }

  /** Must not wait for the source: writers of a running server wait for it. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.store.transaction(this.workspace, work, 'process', { background: true }).catch((error: unknown) => {
      if (!(error instanceof IntegrityConflict)) throw error;
      throw new ConfigError('The source answered objects that belong to others, which it did not answer.');
    });
  }

  count(kind: string, read: number, added: number): void {
    const brought = this.brought.get(kind) ?? { read: 0, added: 0 };
    this.brought.set(kind, { read: brought.read + read, added: brought.added + added });
  }

  /**
   * Adds the rows whose ids do not exist here. `key`: the columns that must be unique, such as the name. A row whose key
   * exists here is not added; references to it then lead to the existing row. Returns the ids of the added rows.
   */
  async add<Name extends TableWithId>(
    tx: Tx,
    kind: string,
    table: Name,
    rows: readonly RowWithId<Name>[],
    key: readonly (keyof NewRow<Name> & string)[] = [],
  ): Promise<ReadonlySet<string>> {
    const ids = rows.map(({ id }) => id);
    const before = await this.#present(tx, table, ids);
    const missing = rows.filter(({ id }) => !before.has(id));
    await tx.insertAll(table, missing, 'on conflict do nothing');
    const missingIds = missing.map(({ id }) => id);
    const added = missing.length > 0 ? await this.#present(tx, table, missingIds) : new Set<string>();
    for (const row of missing) {
      if (added.has(row.id) || key.length === 0) continue;
      const idHere = await this.#idByKey(tx, table, row, key);
      if (idHere !== undefined) this.isHereAs(row.id, idHere);
    }
    this.count(kind, rows.length, added.size);
    return added;
  }

  async #present(db: Db, table: TableWithId, ids: readonly string[]): Promise<Set<string>> {
    const rows = await db.query(
      sql<{ id: string }>`select id from ${sql.table(table)} where "workspace" = ${db.workspace}
        and ${db.dialect.oneOf(sql`id`, ids, 'uuid')}`,
    );
    return new Set(rows.map(({ id }) => id));
  }

  async #idByKey<Name extends TableWithId>(
    db: Db,
    table: Name,
    row: NewRow<Name>,
    key: readonly (keyof NewRow<Name> & string)[],
  ): Promise<string | undefined> {
    const isSame = sql.join(
      key.map((column) => sql`${sql.ref(column)} = ${row[column] as Tables[Name][keyof Tables[Name]]}`),
      sql` and `,
    );
    const [found] = await db.query(
      sql<{ id: string }>`select id from ${sql.table(table)} where "workspace" = ${db.workspace} and ${isSame}`,
    );
    return found?.id;
  }
}
