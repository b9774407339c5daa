// Installs the dependencies when they are missing, older than the lockfile or of another machine. Runs on the machine's
// own Node (20 or newer), before any script that needs the pinned runtime, and needs nothing but npm.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const OLDEST_NODE = 24;
const windows = process.platform === 'win32';
const platform = `${process.platform}-${process.arch}`;
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const stamp = join(root, 'node_modules', '.signalbox-setup');
const lockfile = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .digest('hex');
// A folder copied from another machine, or seen from inside a container, holds programs that do not run here.
const wanted = `${lockfile} ${platform}`;

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
  install();
  checkRuntime();
  writeFileSync(stamp, wanted);
}

function install() {
  console.log('Installing dependencies and the pinned Node runtime from npm (once, about half a minute) ...');
  const started = Date.now();
  // Scripts stay off: no dependency needs one, and a fresh clone runs no code of strangers while it installs.
  const options = [
    '--ignore-scripts',
    '--include=dev',
    '--include=optional',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ];
  const { error, status } = spawnSync('npm', ['ci', ...options], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: windows,
  });
  if (error) stop(`npm could not be run (${error.message}). Nothing was started.`);
  if (status !== 0) stop('npm could not install the dependencies; its message is above. Nothing was started.');
  console.log(`Installed in ${((Date.now() - started) / 1000).toFixed(1)} s.`);
}

/** Leaves a Node in place that runs the server: the pinned one, else the machine's own when it is new enough. */
function checkRuntime() {
  const pinned = ['node', 'node.cmd', 'node.ps1'].map((name) => join(root, 'node_modules', '.bin', name));
  const program = pinned[windows ? 1 : 0];
  if (existsSync(program)) {
    const { status } = spawnSync(program, ['--version'], { stdio: 'ignore', shell: windows });
    if (status === 0) return;
    // It would hide the machine's own: npm puts this folder first on the PATH of every script.
    for (const file of pinned) rmSync(file, { force: true });
  }
  if (Number(process.versions.node.split('.')[0]) >= OLDEST_NODE) return;
  stop(
    `Signalbox needs Node ${OLDEST_NODE} or newer. This machine has ${process.versions.node}, and npm carries no runtime ` +
      `that works on it (${platform}). Install Node ${OLDEST_NODE} or newer and run the same command again.`,
  );
}

function stop(message) {
  console.error(message);
  process.exit(1);
}
