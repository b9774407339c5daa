/** The workspace that an import fills, and counts of the imported objects. */
import { sql } from 'kysely';
import type { Db, Store, Tx } from '../../database/store.ts';
import type { NewRow, TableName, Tables } from '../../database/tables/tables.ts';
import { ConfigError, IntegrityConflict } from '../../errors.ts';
import { type HeldKind, holdFrom } from '../../orchestration/retention/import-hold.ts';
import { addSeconds, type Clock, type Timestamp } from '../../values/time.ts';
import { readingOnly } from './reading-only.ts';
import { UnreadableObject } from './rows.ts';

/** Tables of a workspace whose rows have an id. */
type TableWithId = { [Name in TableName]: NewRow<Name> extends { id: string } ? Name : never }[TableName];

const FOR_EVER: Kept = { events: undefined, flow_runs: undefined };

type RowWithId<Name extends TableName> = NewRow<Name> & { readonly id: string };

export interface Brought {
  /** Readable objects that the source returned. */
  readonly read: number;
  /** Objects that did not exist here. */
  readonly added: number;
  /** Existing objects that were changed: activated, or replaced by the continued run. */
  readonly changed: number;
}

/** Objects that stay in the source. */
export interface Left {
  readonly what: string;
  readonly count: number;
  /** The reason, and how to import them. */
  readonly why: string;
}

/** Seconds for which the server keeps rows; undefined: forever. */
export type Kept = Readonly<Record<HeldKind, number | undefined>>;

/** If an imported row has used more than this part of its time, the time of its kind starts again. */
const HELD_PART = 0.1;

export class Target {
  readonly store: Store;
  readonly clock: Clock;
  readonly workspace: number;
  /** Counts of read and added objects, by the kind of object in the words of people, in the order of the import. */
  readonly brought = new Map<string, Brought>();
  /** True if nothing is written: the import only counts what it would do. */
  readonly isDry: boolean;
  readonly kept: Kept;
  readonly #left = new Map<string, Left>();
  /** Rows that are older than the retention time of the server. */
  readonly old: Record<HeldKind, number> = { events: 0, flow_runs: 0 };
  /** Objects that are active in the source and, without an action of a person, inactive here. */
  inactiveSchedules = 0;
  disabledAutomations = 0;
  /** Objects that this import has activated. */
  activatedSchedules = 0;
  activatedAutomations = 0;
  /** Objects that are active in the source and were already active here. */
  activeSchedules = 0;
  activeAutomations = 0;
  /** Objects that are active in the source and were switched off here by a person. */
  switchedOff = 0;
  /** Imported runs that have begun and not ended. */
  unfinishedRuns = 0;
  /** Imported runs that were already due. */
  overdueRuns = 0;
  readonly #remarks: string[] = [];
  /** Unreadable objects by kind, with the reason for the first. */
  readonly #unreadable = new Map<string, { count: number; readonly reason: string }>();
  /** Ids of the source for objects that already existed here under another id, because their name was taken. */
  readonly #ids = new Map<string, string>();

  constructor(store: Store, clock: Clock, workspace: number, { isDry = false, kept = FOR_EVER } = {}) {
    this.isDry = isDry;
    this.kept = kept;
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

  /** Sentences for the person who runs the import: about omitted objects and the next steps. */
  get remarks(): readonly string[] {
    const unreadable = [...this.#unreadable].map(
      ([kind, { count, reason }]) => `${count} ${kind} cannot be read and were not imported. The first one: ${reason}`,
    );
    return [...this.#remarks, ...unreadable];
  }

  /**
   * The results of `make` for each record of runs. An unreadable record is counted and skipped, so that it does not
   * block the others.
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

  /** The id here for an id of the source. */
  idOf(id: string): string;
  idOf(id: unknown): string | null;
  idOf(id: unknown): string | null {
    return typeof id === 'string' ? (this.#ids.get(id) ?? id) : null;
  }

  isHereAs(id: string, idHere: string): void {
    if (id !== idHere) this.#ids.set(id, idHere);
  }

  /** Must not wait for the source, because writers of a running server wait for this transaction. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    if (this.isDry) return work(readingOnly(this.db));
    return this.store.transaction(this.workspace, work, 'process', { background: true }).catch((error: unknown) => {
      if (!(error instanceof IntegrityConflict)) throw error;
      throw new ConfigError(
        'The source returned objects without the objects to which they belong, because it changed during the import. Run the import again. Imported objects stay, and none is imported twice.',
      );
    });
  }

  count(kind: string, read: number, added: number, changed = 0): void {
    const before = this.brought.get(kind) ?? { read: 0, added: 0, changed: 0 };
    this.brought.set(kind, {
      read: before.read + read,
      added: before.added + added,
      changed: before.changed + changed,
    });
  }

  leave(what: string, count: number, why: string): void {
    if (count > 0) this.#left.set(what, { what, count: (this.#left.get(what)?.count ?? 0) + count, why });
  }

  get left(): readonly Left[] {
    return [...this.#left.values()];
  }

  /** Counts imported rows that are older than the retention time, and makes their age count from now. */
  async age(tx: Tx, kind: HeldKind, times: readonly Timestamp[]): Promise<void> {
    const seconds = this.kept[kind];
    if (seconds === undefined) return;
    const oldest = addSeconds(this.clock.now(), -seconds);
    this.old[kind] += times.filter((time) => time < oldest).length;
    await this.hold(tx, kind, times);
  }

  /** Makes the age of the kind count from now, if rows of these times have used a part of their time. */
  async hold(tx: Tx, kind: HeldKind, times: readonly Timestamp[]): Promise<void> {
    const seconds = this.kept[kind];
    if (seconds === undefined || this.isDry) return;
    const now = this.clock.now();
    const oldest = addSeconds(now, -seconds * HELD_PART);
    if (times.some((time) => time < oldest)) await holdFrom(tx, kind, now);
  }

  /**
   * Adds the rows whose ids do not exist here. `key` lists the columns that must be unique, such as the name. A row
   * whose key exists here is not added; references to it then lead to the existing row. Returns the ids of the added
   * rows.
   */
  async add<Name extends TableWithId>(
    tx: Tx,
    kind: string,
    table: Name,
    rows: readonly RowWithId<Name>[],
    key: readonly (keyof NewRow<Name> & string)[] = [],
  ): Promise<ReadonlySet<string>> {
    const ids = rows.map(({ id }) => id);
    const before = await this.present(tx, table, ids);
    const missing = rows.filter(({ id }) => !before.has(id));
    await tx.insertAll(table, missing, 'on conflict do nothing');
    const missingIds = missing.map(({ id }) => id);
    const added = this.isDry ? new Set(missingIds) : await this.present(tx, table, missingIds);
    for (const row of missing) {
      if ((added.has(row.id) && !this.isDry) || key.length === 0) continue;
      const idHere = await this.#idByKey(tx, table, row, key);
      if (idHere === undefined) continue;
      added.delete(row.id);
      this.isHereAs(row.id, idHere);
    }
    this.count(kind, rows.length, added.size);
    return added;
  }

  /** Returns the ids that exist here. */
  async present(db: Db, table: TableWithId, ids: readonly string[]): Promise<Set<string>> {
    if (ids.length === 0) return new Set();
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
