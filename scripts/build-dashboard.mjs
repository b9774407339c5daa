// Builds the dashboard when its sources or the lockfile have changed since the last build.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { buildWhenChanged, root } from './sources.mjs';

const folder = join(root, 'dashboard');

await buildWhenChanged({
  folder,
  sources: ['package.json', 'index.html', 'vite.config.ts', 'public', 'src'],
  announcement: 'Building the dashboard (when its sources have changed, about ten seconds) ...',
  build() {
    const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
    const options = { cwd: folder, encoding: 'utf8', env: { ...process.env, NODE_ENV: 'production' } };
    const { status, stdout, stderr } = spawnSync(process.execPath, [vite, 'build', '--logLevel', 'warn'], options);
    if (status === 0) return;
    console.error(`${stdout ?? ''}${stderr ?? ''}The dashboard could not be built. Nothing was started.`);
    process.exit(1);
  },
});
