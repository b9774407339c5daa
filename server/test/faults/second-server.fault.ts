/** One server at a time on an SQLite file, and none with another encryption key. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { startOwnPostgres } from '../support/postgres.ts';
import { FaultServer, report, runProgram } from './harness.ts';

describe('a second server', () => {
  test('is refused on an SQLite file while the first lives, frozen or not, and starts once the first was killed', async () => {
    const first = await FaultServer.start();
    try {
      const second = await runProgram(['server', 'start'], first);
      assert.notEqual(second.code, 0);
      assert.match(second.output, /^Another Signalbox server runs on the database .*SIGNALBOX_DATABASE_URL.*\.\n$/);
      first.freeze();
      assert.match((await runProgram(['server', 'start'], first)).output, /^Another Signalbox server/);
      first.thaw();
      const command = await runProgram(['users', 'list', '--json'], first);
      assert.deepEqual([command.code, command.stdout], [0, '[]\n']);
      await first.end('SIGKILL');
      await first.start();
    } finally {
      await first.dispose();
    }
  });

  for (const database of ['sqlite', 'postgres']) {
    test(`with another encryption key stops with a clear error and leaves no file, on ${database}`, async (t) => {
      const postgres = database === 'postgres' ? await startOwnPostgres() : undefined;
      if (database === 'postgres' && !postgres) return t.skip('no PostgreSQL is installed');
      const home = await mkdtemp(join(tmpdir(), 'signalbox-key-'));
      const databaseUrl = await postgres?.createDatabase();
      const first = await FaultServer.start(databaseUrl === undefined ? {} : { databaseUrl });
      try {
        await first.end('SIGTERM');
        const url = databaseUrl ?? `sqlite:${join(first.home, 'signalbox.db')}`;
        const before = await readdir(first.home);
        const second = await runProgram(['server', 'start'], { home, databaseUrl: url });
        assert.notEqual(second.code, 0);
        assert.match(second.output, /^The secrets in this database were encrypted with another key\. .*\.\n$/);
        assert.deepEqual(await readdir(home), []);
        assert.deepEqual((await readdir(first.home)).sort(), before.sort());
        report({
          test: '49',
          name: `a wrong key stops the server, ${database}`,
          value: `${second.seconds.toFixed(2)} s`,
        });
      } finally {
        await first.dispose();
        await rm(home, { recursive: true });
        await postgres?.stop();
      }
    });
  }
});
