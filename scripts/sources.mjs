// Tells whether what was built is older than its sources.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/**
 * Calls `build` when a file below `sources` (paths in `folder`) or the lockfile has changed since `folder`/dist was
 * built. Generated types and tests are not in what runs.
 */
export async function buildWhenChanged({ folder, sources, announcement, build }) {
  const stamp = join(folder, 'dist', '.sources');
  const wanted = digestOf(folder, sources);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  console.log(announcement);
  const started = Date.now();
  await build();
  writeFileSync(stamp, wanted);
  console.log(`Built in ${((Date.now() - started) / 1000).toFixed(1)} s.`);
}

function digestOf(folder, sources) {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')));
  for (const path of sources.flatMap((name) => filesOf(join(folder, name)))) {
    if (/\.(gen|test)\.ts$/.test(path)) continue;
    hash.update(relative(folder, path)).update('\0').update(readFileSync(path));
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
