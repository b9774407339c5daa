/**
 * Removes folders that a foreign program has filled: read-only and closed ones, ones deeper than a path may be long, and
 * names that are not text. It never follows a link.
 */
import { chmod, constants, type FileHandle, lstat, open, opendir, rename, rmdir, unlink } from 'node:fs/promises';
import { newId } from '../../../id.ts';

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** Root needs no permission. A program could put a link in the place of a folder, and `chmod` follows links. */
const NEEDS_PERMISSION = process.getuid?.() !== 0;

type Path = string | Buffer;

/** Removes the file or folder at `path` with all that it holds. An absent one is fine; other problems reject. */
export async function removeAll(path: string): Promise<void> {
  const facts = await lstat(path).catch(unlessAbsent);
  if (!facts?.isDirectory()) return facts && unlink(path).catch(unlessAbsent);
  await makeOpen(path);
  const top = await open(path, FOLDER).catch(unlessAbsent);
  if (!top) return;
  try {
    await empty(placeOf(top, path));
  } finally {
    await top.close();
  }
  await rmdir(path).catch(unlessAbsent);
}

/** What lies deeper moves up to `top` before its folder is removed, so a path never has more than two names below it. */
async function empty(top: string): Promise<void> {
  for (;;) {
    let isEmpty = true;
    for await (const [name, isFolder] of entriesOf(top)) {
      isEmpty = false;
      const path = within(top, name);
      if (!isFolder) await unlink(path).catch(unlessAbsent);
      else await flatten(top, path);
    }
    if (isEmpty) return;
  }
}

async function flatten(top: string, path: Path): Promise<void> {
  await makeOpen(path);
  const folder = await open(path, FOLDER).catch(unlessAbsent);
  if (!folder) return;
  try {
    const place = placeOf(folder, path);
    for await (const [name, isFolder] of entriesOf(place)) {
      const inner = within(place, name);
      if (!isFolder) await unlink(inner).catch(unlessAbsent);
      else {
        // A folder that may not be written to cannot change its parent.
        await makeOpen(inner);
        await rename(inner, `${top}/${newId()}`).catch(unlessAbsent);
      }
    }
  } finally {
    await folder.close();
  }
  await rmdir(path).catch(unlessAbsent);
}

async function* entriesOf(folder: Path): AsyncGenerator<[name: Buffer, isFolder: boolean]> {
  // Names are bytes: one that is not UTF-8 would not be found again as text.
  const listing = await opendir(folder as string, { encoding: 'buffer' as BufferEncoding }).catch(unlessAbsent);
  for await (const entry of listing ?? []) yield [entry.name as unknown as Buffer, entry.isDirectory()];
}

/** The way to an open folder. On Linux it leads there whatever happens to its name. */
function placeOf(folder: FileHandle, path: Path): string {
  return process.platform === 'linux' ? `/proc/self/fd/${folder.fd}` : String(path);
}

function within(folder: string, name: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), name]);
}

async function makeOpen(path: Path): Promise<void> {
  if (NEEDS_PERMISSION) await chmod(path, 0o700).catch(unlessAbsent);
}

function unlessAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
