import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { startPostgres } from '../../test/support/postgres.ts';
import { databases } from '../../test/support/server.ts';
import { type Config, readConfig } from '../config.ts';
import { ownUrl, startServer } from '../server.ts';
import { examine } from './doctor.ts';

async function statesOf(config: Config): Promise<Record<string, string>> {
  return Object.fromEntries((await examine(config, ownUrl(config))).map(({ subject, state }) => [subject, state]));
}

for (const database of databases) {
  describe(`the doctor on ${database}`, () => {
    test('a server that runs is well; without its key, or its database, it is not', async () => {
      const home = await mkdtemp(join(tmpdir(), 'signalbox-test-'));
      const postgres = database === 'postgres' ? await startPostgres() : undefined;
      const databaseUrl = postgres ? await postgres.createDatabase() : `sqlite:${join(home, 'signalbox.db')}`;
      const config: Config = { ...readConfig({}, {}), home, databaseUrl, port: 0, logLevel: 'silent', hosting: 'off' };
      const running = await startServer(config);
      try {
        const port = Number(new URL(running.url).port);
        const through = { ...config, port, publicUrl: running.url, oauth: false };
        const states = await statesOf(through);
        assert.deepEqual(
          ['database', 'schema', 'secrets', 'private targets', 'server', 'proxy', 'access', 'hosting'].map(
            (subject) => states[subject],
          ),
          Array(8).fill('ok'),
        );
        assert.equal((await statesOf({ ...through, publicUrl: 'http://127.0.0.1:9' }))['proxy'], 'problem');
      } finally {
        await running.stop();
      }
      const another = await mkdtemp(join(tmpdir(), 'signalbox-test-'));
      const lost = await statesOf({ ...config, home: another, port: 9 });
      assert.deepEqual([lost['secrets'], lost['server']], ['problem', 'warning']);
      await postgres?.stop();
      const gone = postgres ? 'postgres://nobody@127.0.0.1:9/none' : `sqlite:${home}`;
      const [finding] = (await examine({ ...config, databaseUrl: gone }, ownUrl(config))).filter(
        ({ subject }) => subject === 'database',
      );
      assert.equal(finding?.state, 'problem');
      assert.ok(!finding?.says.includes('Error'), finding?.says);
      await rm(home, { recursive: true, force: true });
      await rm(another, { recursive: true, force: true });
    });
  });
}
