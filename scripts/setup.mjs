// Installs the dependencies when they are missing or older than the lockfile. Runs on the machine's own Node (20 or
// newer), before any script that needs the pinned runtime, and needs nothing but npm.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const lockfile = readFileSync(join(root, 'package-lock.json'));
const wanted = createHash('sha256').update(lockfile).digest('hex');
const stamp = join(root, 'node_modules', '.signalbox-setup');

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
  console.log('Installing dependencies and the pinned Node runtime from npm (once, about 15 seconds) ...');
  const started = Date.now();
  // Scripts stay off: no dependency needs one, and a fresh clone runs no code of strangers while it installs.
  const install = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (install.status !== 0) {
    console.error('npm could not install the dependencies; its message is above. Nothing was started.');
    process.exit(install.status ?? 1);
  }
  writeFileSync(stamp, wanted);
  console.log(`Installed in ${((Date.now() - started) / 1000).toFixed(1)} s.`);
}

const pinned = join(root, 'node_modules', '.bin', process.platform === 'win32' ? 'node.cmd' : 'node');
if (!existsSync(pinned) && Number(process.versions.node.split('.')[0]) < 24) {
  console.error(
    `Signalbox needs Node 24 or newer. This machine has ${process.versions.node}, and npm carries no pinned runtime for ` +
      `${process.platform}-${process.arch}. Install Node 24 or newer and run the same command again.`,
  );
  process.exit(1);
}
