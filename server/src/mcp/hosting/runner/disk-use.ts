/** How much of the disk the folders of a program take. */
import { lstat, opendir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Source: stat(2). */
const BLOCK_BYTES = 512;
/** Entries that take no blocks take room in the file system all the same. */
const ENTRY_BYTES = 512;

/**
 * The bytes of all files in `folders`, and of deleted files that `processes` hold open. Stops counting above `enough`,
 * so that a program cannot keep this server busy. Undefined when the program keeps a folder closed.
 */
export async function diskBytesOf(
  folders: readonly string[],
  processes: readonly number[],
  enough: number,
): Promise<number | undefined> {
  let bytes = 0;
  const waiting = [...new Set(folders)];
  /** Files with several names, by device and number. */
  const counted = new Set<string>();
  while (bytes <= enough) {
    const folder = waiting.pop();
    if (folder === undefined) break;
    try {
      for await (const entry of await opendir(folder)) {
        const path = join(folder, entry.name);
        const facts = await lstat(path);
        bytes += ENTRY_BYTES;
        if (facts.isDirectory()) waiting.push(path);
        else if (facts.nlink > 1) {
          const name = `${facts.dev} ${facts.ino}`;
          if (!counted.has(name)) bytes += facts.blocks * BLOCK_BYTES;
          counted.add(name);
        } else bytes += facts.blocks * BLOCK_BYTES;
        if (bytes > enough) break;
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EACCES') return undefined;
      // It was deleted in the meantime.
    }
  }
  for (const pid of processes) {
    const descriptors = `/proc/${pid}/fd`;
    for (const name of await readdir(descriptors).catch(() => [])) {
      if (bytes > enough) return bytes;
      const facts = await stat(join(descriptors, name)).catch(() => undefined);
      if (!facts?.isFile() || facts.nlink > 0) continue;
      const file = `${facts.dev} ${facts.ino}`;
      if (!counted.has(file)) bytes += facts.blocks * BLOCK_BYTES;
      counted.add(file);
    }
  }
  return bytes;
}
