/**
 * Divides the tables of an older database by time while servers use them. The existing rows become the partition of the
 * past, which reaches up to a boundary that is still ahead. Each step finds in the database what was done before it, so a
 * process that is killed loses nothing, and any process goes on.
 */
import type { DividedKind } from '../../partitions.ts';
import type { RawConnection } from '../../store.ts';
import {
  bound,
  type DividedTable,
  dividedTables,
  isDivided,
  keyIndex,
  microsecondsOfBound,
  past,
  replaceByDivided,
  rest,
  TAKE_TURNS,
} from './divided-tables.ts';
import { changePatiently } from './patience.ts';

interface BringOver {
  readonly raw: RawConnection;
  /** The migration that divides tables. */
  readonly migration: string;
  /** The SQL condition that a server is connected which does not know the migration. */
  readonly olderIsConnected: string;
  /** Builds an index while the table accepts writes. */
  readonly buildIndex: (name: string, on: string, unique: boolean) => Promise<void>;
}

/** A boundary that is nearer than this is moved: its rows may come before the table is divided. */
const NEAR_MICROSECONDS = 3_600_000_000;

/** One transaction each, in their order; a kind begins when the one before it is divided. */
const steps = [buildKeys, takeBoundary, moveRowsBeyond, checkRows, divide];

/** Returns false if requests or servers of an older version are in the way: the next call goes on. */
export async function bringOver(given: BringOver): Promise<boolean> {
  for (const kind of Object.keys(dividedTables) as DividedKind[]) {
    if (await isDivided(given.raw, kind)) continue;
    for (const step of steps) {
      if (!(await step(given, kind))) return false;
    }
  }
  await given.raw.execute('drop function if exists row_beyond()');
  return true;
}

async function buildKeys({ buildIndex, raw, olderIsConnected }: BringOver, kind: DividedKind): Promise<boolean> {
  for (const { name, key, hasKey } of dividedTables[kind]) {
    if (key && !hasKey) await buildIndex(keyIndex(name), `${name} (${key})`, true);
  }
  const keys = dividedTables[kind].filter(({ key, hasKey }) => key && !hasKey).map(({ name }) => keyIndex(name));
  const [found] = await raw.execute(
    `select ${olderIsConnected} as waits, (select count(*) from pg_index join pg_class on pg_class.oid = indexrelid
      where relname = any($1) and relnamespace = current_schema()::regnamespace and indisvalid) as built`,
    [keys],
  );
  // Another process may be building an index.
  return found?.['waits'] === false && Number(found['built']) === keys.length;
}

/**
 * From here on, rows at the boundary or later go to the partition of the rest, where they are found once the table is
 * divided. They are at least a day ahead of the clock. Triggers of automations do not evaluate them.
 */
async function takeBoundary({ raw }: BringOver, kind: DividedKind): Promise<boolean> {
  const found = await boundaryOf(raw, kind);
  const [clock] = await raw.execute(
    `select extract(epoch from now()) * 1000000 as now,
      extract(epoch from date_trunc('day', now()) + interval '2 days') * 1000000 as boundary`,
  );
  if (found !== undefined && found > Number(clock?.['now']) + NEAR_MICROSECONDS) return true;
  const boundary = Number(clock?.['boundary']);
  const tables = dividedTables[kind];
  const each = (write: (table: DividedTable) => string, list = tables) => list.map(write).join('\n');
  return changePatiently(
    raw,
    `${TAKE_TURNS}
    ${each(({ name }) => `lock table ${name} in access exclusive mode;`)}
    ${each(({ name }) => `drop trigger if exists ${beyond(name)} on ${name}; alter table ${name} drop constraint if exists ${check(name)};`)}
    ${each((table) => makeRest(table))}
    ${each((table) => takeBack(table, boundary))}
    create or replace function row_beyond() returns trigger language plpgsql as $beyond$
    begin
      execute format('insert into %I select ($1).* on conflict do nothing', tg_table_name || '_default') using new;
      return null;
    end $beyond$;
    ${each(
      (table) => `
      create trigger ${beyond(table.name)} before insert on ${table.name} for each row
        when (new.${table.by} >= ${bound(table, boundary)}) execute function row_beyond();
      alter table ${table.name} add constraint ${check(table.name)} check (${table.by} < ${bound(table, boundary)}) not valid;`,
    )}`,
  );
}

const check = (table: string) => `${table}_before_boundary`;
const beyond = (table: string) => `${table}_beyond`;

function makeRest({ name, key }: DividedTable): string {
  return `create table if not exists ${rest(name)} (like ${name} including defaults ${key ? `, primary key (${key})` : ''});`;
}

/** Rows that an earlier boundary had sent away. */
function takeBack({ name, by, ...table }: DividedTable, boundary: number): string {
  return `with back as (delete from ${rest(name)} where ${by} < ${bound({ name, by, ...table }, boundary)} returning *)
    insert into ${name} select * from back;`;
}

/** The boundary of a table that is not divided yet, as microseconds since 1970. */
async function boundaryOf({ execute }: RawConnection, kind: DividedKind): Promise<number | undefined> {
  const table = dividedTables[kind][0]!;
  const [found] = await execute(
    `select substring(pg_get_constraintdef(oid) from $$'([^']+)'$$) as boundary from pg_constraint
      where conrelid = to_regclass('${table.name}') and conname = '${check(table.name)}'`,
  );
  return found && microsecondsOfBound(table, String(found['boundary']));
}

/** Older rows of such times. The resources of an event come first, so its trigger finds none. */
async function moveRowsBeyond({ raw }: BringOver, kind: DividedKind): Promise<boolean> {
  const boundary = await boundaryOf(raw, kind);
  if (boundary === undefined) return false;
  const moves = dividedTables[kind].toReversed().map(
    (table) => `with moved as (delete from ${table.name} where ${table.by} >= ${bound(table, boundary)} returning *)
      insert into ${rest(table.name)} select * from moved on conflict do nothing;`,
  );
  return changePatiently(raw, moves.join('\n'));
}

/** Reads every row, and blocks no write. The partition needs no check after that. */
async function checkRows({ raw }: BringOver, kind: DividedKind): Promise<boolean> {
  for (const { name } of dividedTables[kind]) {
    await raw.execute(`alter table ${name} validate constraint ${check(name)}`);
  }
  return true;
}

/**
 * The only step that older servers do not survive. A server that starts reads the table `migration` first, so while it is
 * locked none can begin unseen.
 */
async function divide({ raw, migration, olderIsConnected }: BringOver, kind: DividedKind): Promise<boolean> {
  const boundary = await boundaryOf(raw, kind);
  if (boundary === undefined) return false;
  const tables = dividedTables[kind];
  const changed = await changePatiently(
    raw,
    `${TAKE_TURNS}
    lock table migration in access exclusive mode;
    if not (${olderIsConnected}) and (select relkind from pg_class where oid = '${tables[0]!.name}'::regclass) = 'r' then
      update migration set readable_from = null where name = '${migration}';
      ${tables.map(({ name }) => `lock table ${name} in access exclusive mode;`).join('\n')}
      ${tables.map((table) => divideTable(table, boundary)).join('\n')}
    end if;`,
  );
  return changed && (await isDivided(raw, kind));
}

function divideTable(table: DividedTable, boundary: number): string {
  const { name, key, hasKey } = table;
  return `
    drop trigger ${beyond(name)} on ${name};
    ${replaceByDivided(table)}
    ${key && !hasKey ? `alter table ${past(name)} add primary key using index past_${keyIndex(name)};` : ''}
    alter table ${name} attach partition ${past(name)} for values from (minvalue) to (${bound(table, boundary)});
    alter table ${past(name)} drop constraint ${check(name)};
    alter table ${name} attach partition ${rest(name)} default;`;
}
