/**
 * Removes folders that a foreign program has filled: read-only and closed ones, ones deeper than a path may be long,
 * hundreds of thousands of entries, and names that are not text. The system's own tools do it, in separate processes
 * and through open folders, so that no size blocks the event loop. They follow no links.
 */
import { execFile } from 'node:child_process';
import { lstat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { isRoot } from './program-user.ts';

const execute = promisify(execFile);
/** Limit of the tools' messages: one for each entry that could not be removed. */
const MOST_OUTPUT_BYTES = 1024 * 1024;

/**
 * Removes the file or folder at `path` with its content. Resolves for an absent one; rejects when something cannot be
 * removed.
 */
export async function removeAll(path: string): Promise<void> {
  const facts = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (!facts) return;
  // Root needs no permission. Without it, inaccessible folders, and folders with a read-only parent, could not be
  // removed. `rm` reports what stays.
  if (!isRoot && facts.isDirectory()) await run('chmod', '-R', '--', 'u+rwX', path).catch(() => {});
  await run('rm', '-rf', '--', path);
}

async function run(tool: string, ...words: string[]): Promise<void> {
  const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C' };
  await execute(tool, words, { env, maxBuffer: MOST_OUTPUT_BYTES }).catch((error: Error & { stderr?: string }) => {
    throw new Error(error.stderr?.split('\n', 1)[0] || error.message, { cause: error.cause });
  });
}
