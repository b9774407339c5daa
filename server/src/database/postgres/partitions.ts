/** Makes partitions ahead of the time of their rows, and drops those whose rows are old. */
import { microsecondsOf, type Timestamp } from '../../values/time.ts';
import { type DividedKind, type Partitions, periodSeconds } from '../partitions.ts';
import {
  bound,
  type DividedTable,
  dividedTables,
  isDivided,
  microsecondsOfBound,
  past,
  rest,
  TAKE_TURNS,
} from '../schema/partitions/divided-tables.ts';
import { changePatiently } from '../schema/partitions/patience.ts';
import type { RawConnection } from '../store.ts';

/** The period of now and those after it. */
const PERIODS = 3;

interface Partition {
  /** Its name without that of the table. */
  readonly suffix: string;
  /** Microseconds since 1970; no row has this time or a later one. */
  readonly end: number;
  readonly isEmpty: boolean;
}

export class PostgresPartitions implements Partitions {
  readonly #raw: RawConnection;

  constructor(raw: RawConnection) {
    this.#raw = raw;
  }

  async makeAhead(kind: DividedKind, now: Timestamp, seconds: number | undefined): Promise<void> {
    const period = periodSeconds(seconds) * 1_000_000;
    const current = Math.floor(microsecondsOf(now) / period) * period;
    // Each begins where the last one ends, which another process may have made, so that no time is left out.
    for (let made = 0; made <= PERIODS; made++) {
      const found = await this.#list(kind);
      if (found === undefined) return;
      const last = found.at(-1)?.end;
      const ends = Array.from({ length: PERIODS }, (_, index) => current + (index + 1) * period);
      const end = last === undefined ? current : ends.find((one) => one > last);
      if (end === undefined || !(await this.#make(kind, last, end))) return;
    }
  }

  async drop(kind: DividedKind, before: Timestamp, unless: string): Promise<void> {
    const old = (await this.#list(kind))?.filter(({ end }) => end <= microsecondsOf(before)) ?? [];
    const last = old.at(-1);
    // The past alone is dropped when it has rows.
    if (last === undefined || old.every(({ suffix, isEmpty }) => suffix === past('') && isEmpty)) return;
    const tables = dividedTables[kind];
    const names = tables.flatMap(({ name }) => old.map(({ suffix }) => name + suffix));
    // The rows of transactions that have begun are seen once they have given back the tables.
    await changePatiently(
      this.#raw,
      `${TAKE_TURNS}
      if to_regclass('${tables[0]!.name}${last.suffix}') is not null then
        ${tables.map(({ name }) => `lock table only ${name} in access exclusive mode;`).join('\n')}
        if not (${unless}) then
          drop table ${names.join(', ')};
          ${tables.map((table) => `create table ${past(table.name)} partition of ${table.name} ${rangeOf(table, undefined, last.end)};`).join('\n')}
        end if;
      end if;`,
    );
  }

  /** The partitions by time, without that of the rest. Undefined if the tables are not divided yet. */
  async #list(kind: DividedKind): Promise<Partition[] | undefined> {
    const table = dividedTables[kind][0]!;
    if (!(await isDivided(this.#raw, kind))) return undefined;
    const rows = await this.#raw.execute(
      `select relname as name, substring(pg_get_expr(relpartbound, pg_class.oid) from $$TO \\('(.*)'\\)$$) as end,
          pg_relation_size(pg_class.oid) = 0 as empty
        from pg_inherits join pg_class on pg_class.oid = inhrelid where inhparent = '${table.name}'::regclass`,
    );
    return rows
      .filter((row) => row['end'] !== null)
      .map(({ name, end, empty }) => ({
        isEmpty: empty === true,
        suffix: String(name).slice(table.name.length),
        end: microsecondsOfBound(table, String(end)),
      }))
      .sort((one, other) => one.end - other.end);
  }

  /**
   * Makes a partition of each table, unless another process has. Returns false if requests did not let it. Attaching a table lets other statements go on, unlike
   * `create table … partition of`; only the partition of the rest is locked, and its rows of this time come over. The rows
   * of an event's resources come first: the trigger of a deleted event finds none.
   */
  async #make(kind: DividedKind, from: number | undefined, end: number): Promise<boolean> {
    const tables = dividedTables[kind];
    const suffix =
      from === undefined ? past('') : `_${new Date(from / 1000).toISOString().slice(0, 10).replaceAll('-', '')}`;
    const each = (write: (table: DividedTable) => string, list = tables) => list.map(write).join('\n');
    return changePatiently(
      this.#raw,
      `${TAKE_TURNS}
      if to_regclass('${tables[0]!.name}${suffix}') is null then
        ${each(({ name }) => `create table ${name}${suffix} (like ${name} including defaults including indexes);`)}
        ${each(({ name }) => `lock table ${rest(name)} in access exclusive mode;`)}
        ${each((table) => moveRows(table, suffix, from, end), tables.toReversed())}
        ${each((table) => `alter table ${table.name} attach partition ${table.name}${suffix} ${rangeOf(table, from, end)};`)}
      end if;`,
    );
  }
}

function rangeOf(table: DividedTable, from: number | undefined, end: number): string {
  return `for values from (${from === undefined ? 'minvalue' : bound(table, from)}) to (${bound(table, end)})`;
}

function moveRows(table: DividedTable, suffix: string, from: number | undefined, end: number): string {
  const since = from === undefined ? '' : `${table.by} >= ${bound(table, from)} and`;
  return `with moved as (delete from ${rest(table.name)} where ${since} ${table.by} < ${bound(table, end)} returning *)
    insert into ${table.name}${suffix} select * from moved;`;
}
