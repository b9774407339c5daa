import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { startPostgres, type TestPostgres } from '../../test/support/postgres.ts';
import { databases } from '../../test/support/server.ts';
import { until } from '../../test/support/until.ts';
import { IntegrityConflict, Unprocessable } from '../errors.ts';
import { newId } from '../values/id.ts';
import type { JsonText } from '../values/json.ts';
import { systemClock } from '../values/time.ts';
import { migrations } from './migrations/index.ts';
import { openStore } from './opening/connect.ts';
import { FOLLOWED } from './replica-feed.ts';
import { statement } from './statement.ts';
import type { PlatformTx, Store, Tx } from './store.ts';
import { type ColumnSpec, columnsOf, kindOf, type TableName, tables } from './tables/tables.ts';
import { ensureDefaultWorkspace } from './workspaces.ts';

const insertFlow = statement<{ id: string; name: string; labels: JsonText }, unknown>((query, given) =>
  query.insertInto('flow').values({
    workspace: given.workspace,
    id: given.id,
    created: systemClock.now(),
    updated: systemClock.now(),
    name: given.name,
    tags: '[]' as JsonText,
    labels: given.labels,
  }),
);
const add = (tx: Tx, name: string) => tx.run(insertFlow, { id: newId(), name, labels: '{"a":1.0}' as JsonText });

for (const database of databases) {
  describe(`the store on ${database}`, () => {
    let store: Store;
    let workspace: number;
    let postgres: TestPostgres | undefined;
    let home: string;
    let url: string;
    before(async () => {
      home = await mkdtemp(join(tmpdir(), 'signalbox-store-'));
      postgres = database === 'postgres' ? await startPostgres() : undefined;
      url = postgres ? await postgres.createDatabase() : `sqlite:${join(home, 'test.db')}`;
      store = await openStore(url);
      workspace = await ensureDefaultWorkspace(store, systemClock);
    });
    after(async () => {
      await store.close();
      await postgres?.stop();
      await rm(home, { recursive: true });
    });
    const names = async () => {
      const rows = await store
        .reads(workspace)
        .query(sql<{ name: string }>`select name from flow where "workspace" = ${workspace} order by name`);
      return rows.map((row) => row.name);
    };

    test('a statement of a workspace does not run in the platform scope', async () => {
      await assert.rejects(
        store.platform.transaction((tx) => add(tx as Tx, 'of no workspace')),
        /needs a workspace, but runs for the platform/,
      );
      const probe = { workspace: 0, writes: 1 };
      const insert = (tx: PlatformTx) => tx.insertAll('flow' as 'write_probe', [probe]);
      await assert.rejects(store.platform.transaction(insert), /Rows of flow belong to a workspace/);
      assert.deepEqual(await names(), []);
    });

    test('operations that fail leave no rows and do not affect others in the same batch', async () => {
      const fail = (name: string) => async (tx: Tx) => {
        await add(tx, name);
        throw new Error('no');
      };
      for (const [number, failing] of [[1], [0], [0, 1], [2], [0, 1, 2]].entries()) {
        const before = await names();
        const outcomes = await Promise.allSettled(
          [0, 1, 2].map((place) => {
            const name = `group ${number}, place ${place}`;
            return store.transaction(workspace, failing.includes(place) ? fail(name) : (tx) => add(tx, name));
          }),
        );
        const standing = [0, 1, 2].filter((place) => !failing.includes(place));
        assert.deepEqual(
          outcomes.flatMap(({ status }, place) => (status === 'fulfilled' ? [place] : [])),
          standing,
        );
        const added = (await names()).filter((name) => !before.includes(name));
        assert.deepEqual(
          added,
          standing.map((place) => `group ${number}, place ${place}`),
        );
      }
      await store.transaction(workspace, (tx) => add(tx, 'first'));
    });

    test('a violated unique index is an integrity conflict', async () => {
      await assert.rejects(
        store.transaction(workspace, (tx) => add(tx, 'first')),
        IntegrityConflict,
      );
    });

    test('effects run after the commit, and never without one', async () => {
      const seen: string[] = [];
      await store.transaction(workspace, async (tx) => {
        tx.afterCommit(() => seen.push('committed'));
        await add(tx, 'effect');
        assert.deepEqual(seen, []);
      });
      await assert.rejects(
        store.transaction(workspace, async (tx) => {
          tx.afterCommit(() => seen.push('rolled back'));
          throw new Error('no');
        }),
      );
      assert.deepEqual(seen, ['committed']);
    });

    test('an effect that fails takes neither the commit nor another effect with it', async () => {
      const seen: string[] = [];
      const value = await store.transaction(workspace, async (tx) => {
        tx.afterCommit(() => {
          throw new Error('planted');
        });
        tx.afterCommit(() => seen.push('second'));
        await add(tx, 'with a broken effect');
        return 'committed';
      });
      assert.deepEqual([value, seen], ['committed', ['second']]);
      assert.ok((await names()).includes('with a broken effect'));
      await store.transaction(workspace, (tx) => add(tx, 'after a broken effect'));
    });

    test('statements that are not awaited are part of the transaction', async () => {
      await store.transaction(workspace, async (tx) => tx.later(add(tx, 'unwaited')));
      assert.ok((await names()).includes('unwaited'));
      const seen: string[] = [];
      const failing = store.transaction(workspace, async (tx) => {
        tx.afterCommit(() => seen.push('committed'));
        await add(tx, 'beside it');
        tx.later(add(tx, 'first'));
        tx.later(add(tx, 'behind it'));
      });
      await assert.rejects(failing, IntegrityConflict);
      assert.deepEqual(seen, []);
      assert.ok(!(await names()).some((name) => name.endsWith(' it')));
    });

    test('the first failure of a transaction is its error, also when statements behind it were awaited', async () => {
      const failing = store.transaction(workspace, async (tx) => {
        await add(tx, 'twice');
        tx.later(add(tx, 'twice'));
        await add(tx, 'behind the failure');
      });
      await assert.rejects(failing, IntegrityConflict);
    });

    test('a text is stored, or refused as too long', async () => {
      const name = Array.from({ length: 3000 }, (_, index) => String.fromCodePoint(0x4e00 + ((index * 7919) % 20_000)));
      const storing = store.transaction(workspace, (tx) => add(tx, name.join('')));
      if (database === 'postgres') await assert.rejects(storing, Unprocessable);
      else await storing;
    });

    test('a commit waits for the disk unless every write in it opts out', async () => {
      const setting =
        database === 'postgres'
          ? `current_setting('synchronous_commit')`
          : '(select synchronous from pragma_synchronous)';
      const read = async (tx: Tx) => {
        const [row] = await tx.query(sql<{ value: string }>`select ${sql.raw(setting)} as value -- "workspace"`);
        return row?.value;
      };
      const [relaxed, waiting] = database === 'postgres' ? ['off', 'on'] : [1, 2];
      // The PostgreSQL server of the tests has synchronous_commit off.
      const waitForDisk = `alter database "${new URL(url).pathname.slice(1)}" set synchronous_commit = on -- "workspace"`;
      if (database === 'postgres') await store.transaction(workspace, (tx) => tx.execute(sql.raw(waitForDisk)));
      const other = await openStore(url);
      assert.equal(await other.transaction(workspace, read, 'process'), relaxed);
      assert.equal(await other.transaction(workspace, read), waiting);
      const together = [other.transaction(workspace, read, 'process'), other.transaction(workspace, read)];
      assert.equal((await Promise.all(together))[1], waiting);
      await other.close();
    });

    test('a transaction that has ended accepts no further query', async () => {
      let ended: Tx | undefined;
      await store.transaction(workspace, async (tx) => {
        ended = tx;
      });
      await assert.rejects(add(ended!, 'too late'), /has ended/);
    });

    test('a read sees every write that was answered', async () => {
      await Promise.all(
        Array.from({ length: 50 }, async (_, index) => {
          await store.transaction(workspace, (tx) => add(tx, `read-${index}`));
          assert.ok((await names()).includes(`read-${index}`));
        }),
      );
    });

    test('a query without a workspace does not run', async () => {
      await assert.rejects(
        store.reads(workspace).query(sql`select * from flow`),
        /does not restrict its rows to a workspace/,
      );
    });

    test('rows of another workspace are not found', async () => {
      const elsewhere = store.reads(workspace + 1);
      assert.deepEqual(
        await elsewhere.query(sql`select name from flow where "workspace" = ${elsewhere.workspace}`),
        [],
      );
    });

    test('opening the database again changes nothing', async () => {
      const before = await names();
      const again = await openStore(url);
      await again.close();
      assert.deepEqual(await names(), before);
    });

    test('the log names each migration of an existing database, but none at the first start', async () => {
      const elsewhere = postgres ? await postgres.createDatabase() : `sqlite:${join(home, 'older.db')}`;
      const told: string[] = [];
      const tell = (migration: string) => void told.push(migration);
      await (await openStore(elsewhere, tell, undefined, migrations.slice(0, -1))).close();
      assert.deepEqual(told, []);
      await (await openStore(elsewhere, tell)).close();
      assert.deepEqual(told, [migrations.at(-1)?.name]);
    });

    if (database === 'postgres') {
      test('a new database gets statistics soon after the first writes', async () => {
        const fresh = await openStore(await postgres!.createDatabase());
        const key = await ensureDefaultWorkspace(fresh, systemClock);
        const rowsSeen = sql<{
          rows: number;
        }>`select reltuples as rows from pg_class where relname = 'flow' -- "workspace"`;
        for (let count = 0; count < 64; count++) await fresh.transaction(key, (tx) => add(tx, `new-${count}`));
        // The planner assumes an empty table until then.
        await until('the table has statistics', async () => (await fresh.reads(key).query(rowsSeen))[0]!.rows >= 0);
        await fresh.close();
      });
    }

    test('the tables have the columns that the code declares, with the same types', async () => {
      for (const table of Object.keys(tables) as TableName[]) {
        const found = await columnsIn(table);
        const declared = Object.fromEntries(
          columnsOf(table).map((column) => {
            const spec = (tables[table] as Record<string, ColumnSpec>)[column]!;
            return [column, `${storedKinds[database][kindOf(spec)]}${spec.endsWith('?') ? '?' : ''}`];
          }),
        );
        // The columns by which processes follow each other are filled by the database.
        const followed = (FOLLOWED as readonly string[]).includes(table) && database === 'postgres';
        const words = table === 'log_block' && database === 'postgres' ? { words: 'tsvector' } : {};
        const extra = followed ? { txid: 'xid8?', origin: 'text?' } : words;
        assert.deepEqual(found, { ...declared, ...extra }, table);
      }
    });

    async function columnsIn(table: string): Promise<Record<string, string>> {
      const query =
        database === 'sqlite'
          ? sql<{
              name: string;
              type: string;
              required: number;
            }>`select name, type, "notnull" or pk as required, 'x' as "workspace" from pragma_table_info(${table})`
          : sql<{
              name: string;
              type: string;
              required: number;
            }>`select column_name as name, data_type as type, case is_nullable when 'NO' then 1 else 0 end as required, 'x' as "workspace"
              from information_schema.columns where table_schema = 'public' and table_name = ${table} order by ordinal_position`;
      const rows = await store.reads(workspace).query(query);
      return Object.fromEntries(rows.map((row) => [row.name, `${row.type}${row.required ? '' : '?'}`]));
    }
  });
}

const storedKinds = {
  sqlite: {
    uuid: 'TEXT UUID',
    text: 'TEXT',
    timestamp: 'TEXT TIMESTAMP',
    json: 'TEXT JSON',
    boolean: 'INTEGER BOOLEAN',
    integer: 'INTEGER',
    wide_integer: 'INTEGER',
    float: 'REAL',
  },
  postgres: {
    uuid: 'uuid',
    text: 'text',
    timestamp: 'timestamp with time zone',
    json: 'text',
    boolean: 'boolean',
    integer: 'bigint',
    wide_integer: 'numeric',
    float: 'double precision',
  },
} as const;
