/** One server at a time on an SQLite file, and none with another's encryption key. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { freePort } from '../support/free-port.ts';
import { startOwnPostgres } from '../support/postgres.ts';
import { FaultServer, report } from './harness.ts';

const main = join(import.meta.dirname, '..', '..', 'src', 'main.js');

/** Runs the program to its end. */
async function run(words: readonly string[], home: string, databaseUrl = '') {
  const began = performance.now();
  const child = spawn(process.execPath, [main, ...words], {
    env: {
      ...process.env,
      SIGNALBOX_HOME: home,
      SIGNALBOX_PORT: String(await freePort()),
      SIGNALBOX_DATABASE_URL: databaseUrl,
    },
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk));
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  return { code, output, seconds: (performance.now() - began) / 1000 };
}

describe('a second server', () => {
  test('is refused on an SQLite file while the first lives, frozen or not, and starts once that was killed', async () => {
    const first = await FaultServer.start();
    try {
      const second = await run(['server', 'start'], first.home);
      assert.notEqual(second.code, 0);
      assert.match(second.output, /^Another Signalbox server runs on the database .*SIGNALBOX_DATABASE_URL.*\.\n$/);
      first.freeze();
      assert.match((await run(['server', 'start'], first.home)).output, /^Another Signalbox server/);
      first.thaw();
      const command = await run(['users', 'list', '--json'], first.home);
      assert.deepEqual([command.code, command.output], [0, '[]\n']);
      await first.end('SIGKILL');
      await first.start();
    } finally {
      await first.dispose();
    }
  });

  for (const database of ['sqlite', 'postgres']) {
    test(`with another encryption key stops with a sentence and leaves no file, on ${database}`, async (t) => {
      const postgres = database === 'postgres' ? await startOwnPostgres() : undefined;
      if (database === 'postgres' && !postgres) return t.skip('no PostgreSQL is installed');
      const home = await mkdtemp(join(tmpdir(), 'signalbox-key-'));
      const databaseUrl = await postgres?.createDatabase();
      const first = await FaultServer.start(databaseUrl === undefined ? {} : { databaseUrl });
      try {
        await first.end('SIGTERM');
        const url = databaseUrl ?? `sqlite:${join(first.home, 'signalbox.db')}`;
        const before = await readdir(first.home);
        const second = await run(['server', 'start'], home, url);
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
