/**
 * An SQLite file that refuses writes or the reads of other processes: the answer is 503, nothing is half written, and
 * the server continues.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startServer, type TestServer } from '../../../test/support/server.ts';
import { IntegrityConflict, Unavailable } from '../../errors.ts';
import { SqliteConnection } from './connection.ts';
import { refusesWrites, translateError } from './errors.ts';
import { SlowReads } from './slow-reads.ts';
import type { SqliteStore } from './store.ts';

const sqliteError = (errcode: number) => Object.assign(new Error('refused'), { code: 'ERR_SQLITE_ERROR', errcode });

describe('errors of SQLite', () => {
  const passing = {
    busy: 5,
    locked: 6,
    memory: 7,
    'read-only': 8,
    interrupted: 9,
    io: 10,
    full: 13,
    'cannot open': 14,
  };
  for (const [name, code] of Object.entries({
    ...passing,
    'short read': 522,
    'database moved': 1032,
    snapshot: 517,
    protocol: 15,
  })) {
    test(`${code} (${name}) means that the same request may succeed later`, () => {
      const error = translateError(sqliteError(code));
      assert.ok(error instanceof Unavailable);
      assert.equal(refusesWrites(error), [8, 10, 13, 14].includes(code & 0xff));
    });
  }

  test('a duplicate key is a conflict, and other errors pass unchanged', () => {
    assert.ok(translateError(sqliteError(2067)) instanceof IntegrityConflict);
    for (const error of [sqliteError(1), sqliteError(11), new TypeError('no')])
      assert.equal(translateError(error), error);
  });
});

describe('an SQLite file that refuses writes', () => {
  let server: TestServer;
  before(async () => {
    server = await startServer({ database: 'sqlite' });
  });
  after(() => server.stop());

  const pragma = (sql: string) => (server.server.store as SqliteStore).raw.execute(sql);
  let number = 0;
  const create = () => {
    const name = `variable_${number++}`;
    return server.post('/variables/', { name, value: 'x'.repeat(4000) }).then(({ status, headers }) => ({
      name,
      status,
      retryAfter: headers['retry-after'],
    }));
  };
  const namesKept = async () => {
    const kept = new Set<string>();
    for (let offset = 0; ; offset += 200) {
      const { body } = await server.post('/variables/filter', { limit: 200, offset });
      for (const { name } of body) kept.add(name);
      if (body.length < 200) return kept;
    }
  };

  const refusals = {
    full: {
      refuse: async () => {
        const [row] = await pragma('pragma page_count');
        await pragma(`pragma max_page_count = ${row?.['page_count']}`);
      },
      allow: () => pragma('pragma max_page_count = 4294967294'),
    },
    'read-only': {
      refuse: () => pragma('pragma query_only = on'),
      allow: () => pragma('pragma query_only = off'),
    },
  };
  for (const [name, { refuse, allow }] of Object.entries(refusals)) {
    test(`${name}: writes answer 503 with nothing half written, reads work, and writes work again afterwards`, async () => {
      const before = await namesKept();
      await refuse();
      // Concurrent writes share a commit: those that fit are stored, the others leave no rows.
      const answers = await Promise.all(Array.from({ length: 60 }, create));
      const during = await namesKept();
      assert.equal((await server.get('/ready')).status, 503);
      await allow();
      const told = new Set(answers.filter(({ status }) => status === 201).map((answer) => answer.name));
      const refused = answers.filter(({ status }) => status !== 201);
      assert.ok(refused.length > 0);
      for (const { status, retryAfter } of refused) assert.deepEqual([status, retryAfter], [503, '1']);
      assert.deepEqual(during, before.union(told));
      assert.equal((await create()).status, 201);
    });
  }
});

describe('a read in its own process', () => {
  test('a refusal by SQLite is an unavailable error, and an invalid query keeps its own error', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'signalbox-test-'));
    const file = join(folder, 'signalbox.db');
    new SqliteConnection(file, { readOnly: false }).close();
    const reads = new SlowReads(file, 10);
    const ask = (sql: string) => reads.read('all', { sql, parameters: [], prepare: false }, 'one', {});
    try {
      await assert.rejects(ask('select nothing from nowhere'), (error) => !(error instanceof Unavailable));
      // The process only reads, which makes SQLite refuse with one of the temporary codes.
      await assert.rejects(ask('create table refused (id)'), Unavailable);
    } finally {
      reads.close();
      await rm(folder, { recursive: true });
    }
  });
});
