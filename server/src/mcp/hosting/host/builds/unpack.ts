/** Unpacks an uploaded archive into a folder, and never outside of it. */
import { createReadStream } from 'node:fs';
import { lstat, mkdir, open, realpath, symlink } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { createGunzip } from 'node:zlib';
import { BuildFailed } from '../../boundary/build-failed.ts';
import { MAX_BYTES, type SourceBudget } from './source-budget.ts';
import { type TarEntry, tarEntries } from './tar-entries.ts';

const MAX_PATH = 1000;
/**
 * Unpacked bytes for each packed one. Beyond this ratio an archive is refused: source code does not compress like that.
 */
const MAX_RATIO = 200;
const ALWAYS_ALLOWED_BYTES = 16_777_216;

/**
 * `folder` exists and is empty. Throws BuildFailed for entries that are not allowed or exceed the budget, and leaves
 * the earlier ones.
 */
export async function unpack(
  archive: string,
  packedBytes: number,
  folder: string,
  budget: SourceBudget,
): Promise<void> {
  const limit = Math.min(MAX_BYTES, Math.max(ALWAYS_ALLOWED_BYTES, packedBytes * MAX_RATIO));
  const links: TarEntry[] = [];
  const folders = new MadeFolders(folder, budget);
  for await (const entry of tarEntries(unpacked(archive, limit, budget))) {
    const path = safePath(entry.path);
    if (path === '') continue;
    // Links are made last, so that nothing is written through one.
    if (entry.kind === 'link') links.push({ ...entry, path });
    else if (entry.kind === 'folder') await folders.make(path);
    else await writeEntry(folders, path, entry);
  }
  for (const link of links) await makeLink(folders, link);
}

/**
 * The folders of an archive, each made once, because entries may lie in many folders that have no entry of their own.
 */
class MadeFolders {
  readonly root: string;
  readonly budget: SourceBudget;
  readonly #made = new Set<string>();

  constructor(root: string, budget: SourceBudget) {
    this.root = root;
    this.budget = budget;
  }

  async make(path: string): Promise<void> {
    if (this.#made.has(path)) return;
    const missing: string[] = [];
    for (let part = path; part !== '.' && !this.#made.has(part); part = dirname(part)) missing.push(part);
    for (const part of missing.reverse()) {
      this.budget.takeEntry(depthOf(part));
      await mkdir(join(this.root, part), { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST' && error.code !== 'ENOTDIR') throw error;
        throw new BuildFailed(`The archive contains ${JSON.stringify(part)} as a file and as a folder.`);
      });
      this.#made.add(part);
    }
  }

  /** Counts the entry and makes its parent folders. */
  async makeRoomFor(path: string): Promise<void> {
    this.budget.takeEntry(depthOf(path));
    await this.make(dirname(path));
  }
}

function depthOf(path: string): number {
  return path.split('/').length - 1;
}

/** The tar stream in the archive, which ends early when it is too large. */
async function* unpacked(archive: string, limit: number, budget: SourceBudget): AsyncGenerator<Buffer> {
  const file = createReadStream(archive);
  const gunzip = createGunzip();
  file.on('error', (error) => gunzip.destroy(error));
  let bytes = 0;
  try {
    for await (const chunk of file.pipe(gunzip)) {
      bytes += (chunk as Buffer).length;
      if (bytes > limit) {
        throw new BuildFailed(`The archive is too large when unpacked: more than ${Math.floor(limit / 1_048_576)} MB.`);
      }
      budget.takeBytes((chunk as Buffer).length);
      yield chunk as Buffer;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code?.startsWith('Z_')) {
      throw new BuildFailed('The file is not a gzip archive, or it is damaged.');
    }
    throw error;
  } finally {
    file.destroy();
    gunzip.destroy();
  }
}

/** Normalizes `.` and double slashes; empty for the folder itself. Throws BuildFailed for a path that leads out. */
function safePath(path: string): string {
  if (path.length > MAX_PATH || path.includes('\0')) throw new BuildFailed('The archive contains an unusable name.');
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path) || path.includes('\\')) {
    throw new BuildFailed(`The archive contains the absolute or foreign path ${JSON.stringify(path)}.`);
  }
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..'))
    throw new BuildFailed(`The archive contains the path ${JSON.stringify(path)}, which leaves the archive.`);
  return parts.join('/');
}

async function writeEntry(folders: MadeFolders, path: string, { content, isExecutable }: TarEntry): Promise<void> {
  await folders.makeRoomFor(path);
  const file = await open(join(folders.root, path), 'w', isExecutable ? 0o700 : 0o600).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EISDIR') throw error;
    throw new BuildFailed(`The archive contains ${JSON.stringify(path)} as a file and as a folder.`);
  });
  try {
    for await (const piece of content) await file.writeFile(piece);
  } finally {
    await file.close();
  }
}

/** Makes a link only if its target is within the folder. */
async function makeLink(folders: MadeFolders, { path, target }: TarEntry): Promise<void> {
  const folder = folders.root;
  const refused = new BuildFailed(
    `The archive contains the link ${JSON.stringify(path)}, which leaves the archive or leads nowhere.`,
  );
  if (target === '' || target.startsWith('/') || target.includes('\0')) throw refused;
  const place = join(folder, path);
  await folders.makeRoomFor(path);
  const root = await realpath(folder);
  if (!isWithin(root, await realpath(dirname(place)))) throw refused;
  if (
    await lstat(place).then(
      () => true,
      () => false,
    )
  )
    throw refused;
  const end = await realpath(join(dirname(place), target)).catch(() => undefined);
  if (end === undefined || !isWithin(root, end)) throw refused;
  await symlink(target, place);
}

function isWithin(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '..' && !way.startsWith(`..${sep}`);
}
