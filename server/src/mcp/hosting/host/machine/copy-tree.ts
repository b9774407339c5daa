/** Copies folders that foreign programs filled: only files, folders and links, so that nothing else is opened. */
import { constants, createWriteStream, type Dirent } from 'node:fs';
import { lstat, mkdir, open, readdir, readlink, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** Counts copied entries; throws to stop the copy. */
export interface CopyBudget {
  /** `depth` is the number of parent folders within the tree. */
  takeEntry(depth: number): void;
  takeBytes(bytes: number): void;
}

/**
 * Copies the content of the folder `from` to `to`, which is made or empty, without the entries with the names
 * `leftOut`. Links are recreated unchanged and never followed. Resolves with the number of pipes, sockets and devices
 * that it skipped. Throws what `budget` throws, and may leave a part.
 */
export async function copyTree(
  from: string,
  to: string,
  budget: CopyBudget,
  leftOut: ReadonlySet<string> = new Set(),
): Promise<number> {
  if (!(await lstat(from)).isDirectory()) throw new Error(`${from} is not a folder.`);
  let passedOver = 0;
  const left = [{ path: '', depth: 0 }];
  for (let next = left.pop(); next; next = left.pop()) {
    const { path, depth } = next;
    await mkdir(join(to, path), { recursive: path === '', mode: 0o700 });
    for (const entry of await readdir(join(from, path), { withFileTypes: true })) {
      if (leftOut.has(entry.name)) continue;
      budget.takeEntry(depth);
      const inner = join(path, entry.name);
      if (entry.isDirectory()) left.push({ path: inner, depth: depth + 1 });
      else if (!(await copyEntry(entry, join(from, inner), join(to, inner), budget))) passedOver += 1;
    }
  }
  return passedOver;
}

/** False for an entry that is neither a file nor a link. */
async function copyEntry(entry: Dirent, from: string, to: string, budget: CopyBudget): Promise<boolean> {
  if (entry.isSymbolicLink()) {
    await symlink(await readlink(from), to);
    return true;
  }
  if (!entry.isFile()) return false;
  // It may have become a link or a pipe since: a link is not followed, and a pipe is not waited for.
  const source = await open(from, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const facts = await source.stat();
    if (!facts.isFile()) return false;
    const reading = source.createReadStream({ autoClose: false });
    const counted = async function* (pieces: AsyncIterable<Buffer>) {
      for await (const piece of pieces) {
        budget.takeBytes(piece.length);
        yield piece;
      }
    };
    await pipeline(reading, counted, createWriteStream(to, { flags: 'wx', mode: facts.mode & 0o777 }));
    return true;
  } finally {
    await source.close();
  }
}
