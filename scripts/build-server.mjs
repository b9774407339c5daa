// Bundles the server into server/dist when its sources or the lockfile have changed since the last time. Loading 2,000
// modules takes most of a start: the bundle is ready in half the time.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { buildWhenChanged, root } from './sources.mjs';

const folder = join(root, 'server');
const dist = join(folder, 'dist');

await buildWhenChanged({
  folder,
  sources: ['package.json', 'src'],
  announcement: 'Bundling the server (when its sources have changed, some seconds) ...',
  async build() {
    const bundle = await rolldown({
      // The others are programs of their own, which the first starts.
      input: [
        join(folder, 'src', 'main.js'),
        join(folder, 'src', 'database', 'sqlite', 'read-process.ts'),
        join(folder, 'src', 'database', 'sqlite', 'checkpoint-thread.ts'),
        join(folder, 'src', 'mcp', 'hosting', 'host', 'host-process.ts'),
        join(folder, 'src', 'process', 'serving-process.ts'),
        join(folder, 'src', 'supervisor', 'supervisor-process.ts'),
      ],
      platform: 'node',
      external: [/^swagger-ui-dist\//],
      logLevel: 'silent',
    });
    rmSync(dist, { recursive: true, force: true });
    // Names of classes and functions stay, for the log.
    await bundle.write({ dir: dist, format: 'esm', keepNames: true, chunkFileNames: '[name]-[hash].js' });
    await bundle.close();
  },
});
