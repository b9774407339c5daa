import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { startPostgres } from '../../test/support/postgres.ts';
import { databases, startServer, type TestServer } from '../../test/support/server.ts';
import { until } from '../../test/support/until.ts';
import { ConfigError } from '../errors.ts';
import { type BackupOptions, makeBackup, restoreBackup } from './backup.ts';

for (const database of databases) {
  describe(`backups of ${database}`, () => {
    let server: TestServer;
    let scratch: string;
    let folder: string;
    /** An empty place to restore to. */
    let place: { home: string; databaseUrl: string; encryptionKey: string };
    let stopPostgres = async () => {};

    beforeEach(async () => {
      server = await startServer({ database });
      scratch = await mkdtemp(join(tmpdir(), 'signalbox-backup-'));
      folder = join(scratch, 'backup');
      const home = join(scratch, 'home');
      const postgres = database === 'postgres' ? await startPostgres() : undefined;
      if (postgres) stopPostgres = () => postgres.stop();
      const databaseUrl = (await postgres?.createDatabase()) ?? `sqlite:${join(home, 'signalbox.db')}`;
      place = { home, databaseUrl, encryptionKey: '' };
    });
    afterEach(async () => {
      await server.stop();
      await stopPostgres();
      await rm(scratch, { recursive: true, force: true });
    });

    const back = (options: Partial<BackupOptions> = {}) =>
      makeBackup(server.server.config, { folder, withKey: true, ...options });
    const storeSecret = async () => {
      const type = (await server.get('/block_types/slug/secret')).body;
      const filter = { block_schemas: { block_type_id: { any_: [type.id] } } };
      const [schema] = (await server.post('/block_schemas/filter', filter)).body;
      const data = { value: 'opensesame' };
      const block = { name: 'token', data, block_type_id: type.id, block_schema_id: schema.id };
      return (await server.post('/block_documents/', block)).body.id as string;
    };

    test('a backup that is made under load has every write acknowledged before it', async () => {
      const written: string[] = [];
      let isDone = false;
      const writing = (async () => {
        while (!isDone) {
          const { body } = await server.post('/flows/', { name: `flow-${written.length}` });
          written.push(body.id);
        }
      })();
      await until('some writes are acknowledged', () => written.length >= 20);
      const before = [...written];
      const manifest = await back().finally(() => {
        isDone = true;
      });
      await writing;
      await restoreBackup(place, folder);
      const restored = await startServer({ databaseUrl: place.databaseUrl, config: { home: place.home } });
      try {
        const { body } = await restored.post('/flows/filter', { flows: { id: { any_: before } }, limit: 200 });
        assert.equal(body.length, Math.min(before.length, 200));
        const { body: count } = await restored.post('/flows/count', {});
        assert.equal(count, manifest.rows['flow']);
        assert.equal((await restored.post('/flows/', { name: 'after' })).status, 201);
      } finally {
        await restored.stop();
      }
    });

    test('secrets can be read again when the key came along', async () => {
      const id = await storeSecret();
      await back();
      const { hasKey } = await restoreBackup(place, folder);
      assert.equal(hasKey, true);
      const restored = await startServer({ databaseUrl: place.databaseUrl, config: { home: place.home } });
      try {
        const { body } = await restored.get(`/block_documents/${id}?include_secrets=true`);
        assert.equal(body.data.value, 'opensesame');
      } finally {
        await restored.stop();
      }
    });

    test('without the key the backup has none, and the restore says so', async () => {
      await storeSecret();
      const { files } = await back({ withKey: false });
      assert.ok(!('encryption.key' in files));
      assert.equal((await restoreBackup(place, folder)).hasKey, false);
      assert.ok(!existsSync(join(place.home, 'encryption.key')));
    });

    test('others on the machine cannot read it', async () => {
      await storeSecret();
      await back();
      assert.equal(statSync(folder).mode & 0o077, 0);
    });

    test('a changed, an unfinished and a missing backup are refused', async () => {
      await back();
      await appendFile(join(folder, 'database'), 'x');
      await assert.rejects(restoreBackup(place, folder), /The file database of the backup .* has changed/);
      await rm(join(folder, 'database'));
      await assert.rejects(restoreBackup(place, folder), /lacks its file database/);
      await writeFile(join(folder, 'backup.json'), '{');
      await assert.rejects(restoreBackup(place, folder), /is not a backup/);
      await assert.rejects(restoreBackup(place, join(scratch, 'nothing')), ConfigError);
    });

    test('neither a folder nor a database is overwritten', async () => {
      await back();
      await assert.rejects(back(), /exists already/);
      await restoreBackup(place, folder);
      await rm(join(place.home, 'encryption.key'), { force: true });
      await assert.rejects(restoreBackup(place, folder), /already/);
    });
  });
}

test('a backup of one kind of database does not fill the other', async () => {
  const server = await startServer();
  const scratch = await mkdtemp(join(tmpdir(), 'signalbox-backup-'));
  try {
    const folder = join(scratch, 'backup');
    await makeBackup(server.server.config, { folder, withKey: false });
    const other = { home: scratch, databaseUrl: 'postgres://127.0.0.1:1/none', encryptionKey: '' };
    await assert.rejects(restoreBackup(other, folder), /The backup is of an SQLite database/);
  } finally {
    await server.stop();
    await rm(scratch, { recursive: true, force: true });
  }
});
