import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openStore } from '../database/opening/connect.ts';
import { createEncryption } from '../encryption/encryption.ts';
import { makeHome, tightenHome } from './home-folder.ts';

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

test('a new home folder, its key, and the database with its side files are readable by the owner only', async (context) => {
  const home = join(mkdtempSync(join(tmpdir(), 'signalbox-home-')), 'new');
  context.after(() => rmSync(home, { recursive: true, force: true }));
  const umask = process.umask(0);
  context.after(() => process.umask(umask));
  makeHome(home);
  createEncryption({ home, encryptionKey: '' });
  const file = join(home, 'signalbox.db');
  const store = await openStore(`sqlite:${file}`);
  const modes = [home, file, `${file}-wal`, `${file}-shm`, join(home, 'encryption.key')].map(modeOf);
  await store.close();
  assert.deepEqual(modes, ['700', '600', '600', '600', '600']);
});

test('files of an earlier version are restricted to the owner, and other files are unchanged', async (context) => {
  const home = mkdtempSync(join(tmpdir(), 'signalbox-home-'));
  context.after(() => rmSync(home, { recursive: true, force: true }));
  const own = ['signalbox.db', 'signalbox.db-wal', 'signalbox.db-shm', 'encryption.key'].map((name) =>
    join(home, name),
  );
  for (const path of own) {
    writeFileSync(path, '');
    chmodSync(path, 0o644);
  }
  mkdirSync(join(home, 'hosting'), { mode: 0o755 });
  chmodSync(home, 0o755);
  tightenHome(home);
  assert.deepEqual(own.map(modeOf), ['600', '600', '600', '600']);
  assert.deepEqual([modeOf(home), modeOf(join(home, 'hosting'))], ['700', '700']);

  const foreign = join(home, 'notes.txt');
  writeFileSync(foreign, '');
  chmodSync(foreign, 0o644);
  rmSync(own[3]!);
  symlinkSync(foreign, own[3]!);
  chmodSync(home, 0o755);
  tightenHome(home);
  assert.deepEqual([modeOf(foreign), modeOf(home)], ['644', '755']);
});

test('a database elsewhere is restricted when it is opened', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-home-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'other.db');
  await (await openStore(`sqlite:${file}`)).close();
  chmodSync(file, 0o644);
  const store = await openStore(`sqlite:${file}`);
  assert.equal(modeOf(file), '600');
  assert.ok(existsSync(`${file}-wal`) && modeOf(`${file}-wal`) === '600');
  await store.close();
});
