import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Folders } from '../runner/folders.ts';
import { Leftovers } from '../runner/leftovers.ts';
import { removeAll } from './removal.ts';

/** Fills the working directory with what programs leave. */
const FILL = `
  const { chmodSync, mkdirSync, symlinkSync, writeFileSync } = require('node:fs');
  mkdirSync('module/cache', { recursive: true });
  writeFileSync('module/cache/file', 'x');
  symlinkSync('..', 'module/up');
  mkdirSync('closed/inner', { recursive: true });
  writeFileSync(Buffer.from([0x66, 0xff, 0xfe]), 'x');
  mkdirSync(Buffer.from([0x64, 0xff]));
  chmodSync('module/cache', 0o555);
  chmodSync('module', 0o555);
  chmodSync('closed', 0);
  const top = process.cwd();
  for (let depth = 0; depth < 40; depth++) {
    mkdirSync('d'.repeat(200));
    process.chdir('d'.repeat(200));
    writeFileSync('file', 'x');
  }
`;
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const users = {
  'the user of this process': { uid: process.getuid?.(), skip: false as const },
  'an ordinary user': { uid: NOBODY, skip: isRoot ? (false as const) : 'this process is one' },
};

for (const [name, { uid, skip }] of Object.entries(users))
  describe(`removing what a program left, as ${name}`, {
    skip: process.platform === 'linux' ? skip : 'Linux only',
  }, () => {
    const run = (code: string, cwd: string) =>
      execFileSync(process.execPath, ['-e', code], { cwd, ...(uid !== undefined && { uid }), stdio: 'pipe' });

    test('closed, read-only and endlessly deep folders are removed, and what links lead to stays', async () => {
      const outside = await mkdtemp(join(tmpdir(), 'signalbox-removal-'));
      await chmod(outside, 0o777);
      run(
        `const fs = require('node:fs'); fs.mkdirSync('kept'); fs.writeFileSync('kept/file', 'x'); fs.mkdirSync('left')`,
        outside,
      );
      const left = join(outside, 'left');
      run(
        `${FILL}; process.chdir(top); symlinkSync('../../kept', 'module-link'); symlinkSync('../kept', 'kept-link')`,
        left,
      );
      const module = JSON.stringify(new URL('removal.ts', import.meta.url));
      run(`import(${module}).then(({ removeAll }) => removeAll(${JSON.stringify(left)}))`, outside);
      assert.deepEqual(await readdir(outside), ['kept']);
      assert.deepEqual(await readdir(join(outside, 'kept')), ['file']);
      await removeAll(outside);
      assert.equal(existsSync(outside), false);
    });
  });

test('a file and an absent path are removed, and a link is removed without its target', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-removal-'));
  await writeFile(join(folder, 'file'), 'x');
  await symlink(folder, join(folder, 'link'));
  for (const name of ['link', 'absent']) await removeAll(join(folder, name));
  assert.deepEqual(await readdir(folder), ['file']);
  await removeAll(join(folder, 'file'));
  await removeAll(folder);
});

test('the sweep goes on after a folder that it cannot remove, says so, and tries it again', async () => {
  const home = await mkdtemp(join(tmpdir(), 'signalbox-removal-'));
  const folders = new Folders(home);
  const lines: string[] = [];
  const told = (what: string) => {
    lines.push(what);
  };
  const stuck = join(folders.removed, 'a');
  await mkdir(join(stuck, 'mount'), { recursive: true });
  await mkdir(join(folders.removed, 'b'));
  // A working directory of a process is removable, a mount is not: the kernel answers EBUSY.
  const mounted = isRoot && spawnMount(join(stuck, 'mount'));
  try {
    await new Leftovers(folders, told).sweep();
    assert.equal(existsSync(join(folders.removed, 'b')), false);
    assert.equal(lines.length, mounted ? 1 : 0);
  } finally {
    if (mounted) execFileSync('umount', [join(stuck, 'mount')]);
  }
  await new Leftovers(folders, told).sweep();
  assert.deepEqual(await readdir(folders.removed), []);
  await removeAll(home);
});

/** False where the machine allows no mounts. */
function spawnMount(place: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', place], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
