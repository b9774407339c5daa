// Builds the dashboard when its sources or the lockfile have changed since the last build.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dashboard = join(root, 'dashboard');
const stamp = join(dashboard, 'dist', '.sources');
const sources = ['package.json', 'index.html', 'vite.config.ts', 'public', 'src'];

const wanted = digestOfSources();
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) build();

function digestOfSources() {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')));
  for (const path of sources.flatMap((name) => filesOf(join(dashboard, name)))) {
    // Generated types are not in what a browser runs.
    if (!path.endsWith('.gen.ts')) hash.update(path.slice(dashboard.length)).update('\0').update(readFileSync(path));
  }
  return hash.digest('hex');
}

function filesOf(path) {
  if (!existsSync(path)) return [];
  try {
    const names = readdirSync(path).sort();
    return names.flatMap((name) => filesOf(join(path, name)));
  } catch {
    return [path];
  }
}

function build() {
  console.log('Building the dashboard (when its sources have changed, about ten seconds) ...');
  const started = Date.now();
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const options = { cwd: dashboard, encoding: 'utf8', env: { ...process.env, NODE_ENV: 'production' } };
  const { status, stdout, stderr } = spawnSync(process.execPath, [vite, 'build', '--logLevel', 'warn'], options);
  if (status !== 0) {
    console.error(`${stdout ?? ''}${stderr ?? ''}The dashboard could not be built. Nothing was started.`);
    process.exit(1);
  }
  writeFileSync(stamp, wanted);
  console.log(`Built in ${((Date.now() - started) / 1000).toFixed(1)} s.`);
}
