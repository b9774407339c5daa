import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { hostedServer } from '../../../test/support/hosted.ts';
import { person } from '../../../test/support/platform.ts';
import { startPostgres } from '../../../test/support/postgres.ts';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';
import { until } from '../../../test/support/until.ts';
import { ConfigError } from '../../errors.ts';
import { newId } from '../../values/id.ts';
import { jsonTextOf } from '../../values/json.ts';
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

    /** A succeeded build and a failed one, whose folders `fill` fills. */
    const storeBuilds = async (fill: (artifact: string) => unknown) => {
      const { store, clock, config } = server.server;
      await person(server, 'ada@example.com', 'admin');
      const id = await hostedServer(server, 'built');
      const made = ['succeeded', 'succeeded', 'failed'].map((state) => ({ id: newId(), state }));
      const row = { server_id: id, created: clock.now(), actor_name: 'Ada', source: jsonTextOf({ kind: 'archive' }) };
      const nothing = { entrypoint: null, dependency_path: null, encrypted_environment: null, claimed_until: null };
      const rest = { started: null, finished: null, error: null, launch: null, resolved: null };
      const flags = { promote: false, cancel_requested: false };
      const rows = made.map((build) => ({ ...row, ...nothing, ...rest, ...flags, ...build }));
      await store.platform.transaction((tx) => tx.insertAll('server_build', rows));
      const [sound, odd, failed] = made.map((build) => join('hosting/servers', id, build.id, 'source'));
      for (const path of [sound, odd, failed]) await mkdir(join(config.home, path ?? ''), { recursive: true });
      await writeFile(join(config.home, sound ?? '', 'server.py'), 'x');
      for (const path of [odd, failed]) await fill(join(config.home, path ?? ''));
      return { sound: sound ?? '', odd: odd ?? '', failed: failed ?? '', oddId: made[1]?.id };
    };

    test('pipes, sockets and links of a build are no reason to have no backup', async () => {
      const builds = await storeBuilds((path) => {
        spawnSync('mkfifo', [join(path, 'pipe')]);
        symlinkSync('/etc/hostname', join(path, 'out'));
        symlinkSync(scratch, join(path, 'far'));
        symlinkSync('pipe', join(path, 'in'));
        writeFileSync(join(path, 'server.py'), 'y');
      });
      const manifest = await back();
      assert.deepEqual([manifest.passedOver, manifest.leftOut], [1, []]);
      const listed = [join(builds.sound, 'server.py'), join(builds.odd, 'server.py'), 'database', 'encryption.key'];
      assert.deepEqual(Object.keys(manifest.files).sort(), listed.sort(), 'what a link leads to is not in a backup');
      assert.ok(!existsSync(join(folder, builds.failed)), 'a failed build is not copied');
      await restoreBackup(place, folder);
      const restored = join(place.home, builds.odd);
      assert.deepEqual(readdirSync(restored).sort(), ['far', 'in', 'out', 'server.py']);
      assert.equal(readlinkSync(join(restored, 'out')), '/etc/hostname');
      assert.equal(readFileSync(join(place.home, builds.sound, 'server.py'), 'utf8'), 'x');
    });

    test('a build that cannot be copied is left out and named, and the others are there', async () => {
      const nest = 'import os\nfor _ in range(3000):\n os.mkdir("deep-folder")\n os.chdir("deep-folder")';
      const builds = await storeBuilds((cwd) => {
        assert.equal(spawnSync('python3', ['-c', nest], { cwd }).status, 0);
      });
      const manifest = await back();
      assert.deepEqual(
        manifest.leftOut?.map(({ buildId }) => buildId),
        [builds.oddId],
      );
      assert.match(manifest.leftOut?.[0]?.reason ?? '', /more than 200 deep/);
      const { manifest: restored } = await restoreBackup(place, folder);
      assert.deepEqual(restored.leftOut, manifest.leftOut);
      assert.ok(existsSync(join(place.home, builds.sound, 'server.py')));
      assert.ok(!existsSync(join(place.home, builds.odd)));
      // Node cannot remove folders whose paths are longer than the system takes.
      for (const path of [builds.odd, builds.failed]) {
        spawnSync('rm', ['-rf', join(server.server.config.home, path)]);
      }
    });

    test('a backup with links, pipes or files that no backup holds is refused, and nothing is restored', async () => {
      const { sound } = await storeBuilds(() => {});
      await back();
      const outside = join(scratch, 'outside');
      await mkdir(join(outside, 'servers'), { recursive: true });
      await writeFile(join(outside, 'file'), 'x');
      const [build, ofServer] = [dirname(sound), dirname(dirname(sound))];
      const changeManifest = (
        to: string,
        change: (manifest: { files: Record<string, string>; database: string }) => void,
      ) => {
        const manifest = JSON.parse(readFileSync(join(to, 'backup.json'), 'utf8'));
        change(manifest);
        writeFileSync(join(to, 'backup.json'), JSON.stringify(manifest));
      };
      const replace = (to: string, name: string, make: (path: string) => unknown) => {
        rmSync(join(to, name), { recursive: true });
        changeManifest(to, ({ files }) => {
          for (const file of Object.keys(files)) if (file.startsWith(`${name}/`)) delete files[file];
        });
        make(join(to, name));
      };
      const link = (path: string) => symlinkSync(outside, path);
      const pipe = (path: string) => spawnSync('mkfifo', [path]);
      const cases: [(to: string) => unknown, RegExp][] = [
        [(to) => replace(to, 'hosting', link), /hosting is not a folder/],
        [(to) => replace(to, 'hosting/servers', link), /servers is not a folder/],
        [(to) => replace(to, ofServer, link), /is not a folder/],
        [(to) => replace(to, build, link), /is not a folder/],
        [(to) => replace(to, build, pipe), /is not a folder/],
        [(to) => replace(to, 'database', pipe), /lacks its file database/],
        [
          (to) => replace(to, 'database', (path) => symlinkSync(join(folder, 'database'), path)),
          /lacks its file database/,
        ],
        [
          (to) => writeFileSync(join(to, build, 'more.py'), 'z'),
          /contains the file .*more\.py, which was added after the backup/,
        ],
        [(to) => writeFileSync(join(to, 'hosting/uploads/more.tar.gz'), 'z'), /which was added after the backup/],
        [
          (to) => changeManifest(to, ({ files }) => Object.assign(files, { '../outside/file': 'x' })),
          /lacks its file \.\.\/outside\/file/,
        ],
        [
          (to) => changeManifest(to, (manifest) => Object.assign(manifest, { database: 'toString' })),
          /is not a backup/,
        ],
      ];
      for (const [number, [change, says]] of cases.entries()) {
        const to = join(scratch, `changed-${number}`);
        cpSync(folder, to, { recursive: true, verbatimSymlinks: true });
        change(to);
        await assert.rejects(restoreBackup(place, to), (error: unknown) => {
          assert.ok(error instanceof ConfigError, String(error));
          assert.match(error.message, says);
          return true;
        });
        assert.ok(!existsSync(place.home), String(says));
      }
      symlinkSync(join(outside, 'file'), join(folder, 'hosting/uploads/more.tar.gz'));
      await restoreBackup(place, folder);
      assert.deepEqual(readdirSync(join(place.home, 'hosting/uploads')), []);
    });

    test('a restore that was ended on the way can be repeated', async () => {
      const builds = await storeBuilds((path) => writeFile(join(path, 'server.py'), 'y'));
      await back();
      const inTheWay = join(place.home, dirname(dirname(builds.sound)));
      await mkdir(dirname(inTheWay), { recursive: true });
      await writeFile(inTheWay, '');
      await assert.rejects(restoreBackup(place, folder), /ENOTDIR|EEXIST/);
      await rm(inTheWay);
      // As one that was killed leaves it.
      await mkdir(join(place.home, `${dirname(builds.odd)}.restoring`, 'half'), { recursive: true });
      await restoreBackup(place, folder);
      for (const path of [builds.sound, builds.odd]) assert.ok(existsSync(join(place.home, path, 'server.py')), path);
    });

    test('of two backups into one folder at once, one is made and whole, and the other says that the folder exists', async () => {
      const made = await Promise.allSettled([back({ withKey: false }), back({ folder: `${folder}/` })]);
      const [refused, ...others] = made.filter((one) => one.status === 'rejected').map(({ reason }) => reason);
      assert.match(String(refused), /already exists/);
      assert.deepEqual(others, []);
      assert.deepEqual(readdirSync(scratch), ['backup']);
      const withKey = made[1]?.status === 'fulfilled';
      assert.equal((await restoreBackup(place, folder)).hasKey, withKey);
    });

    test('neither a folder nor a database is overwritten', async () => {
      await back();
      await assert.rejects(back(), /already exists/);
      if (process.platform === 'linux') {
        for (const none of ['/proc/none', '/proc/none/such'])
          await assert.rejects(back({ folder: none }), /cannot be created/);
      }
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
