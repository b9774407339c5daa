/** Unpacks an uploaded archive into a folder, and nowhere else. */
import { createReadStream } from 'node:fs';
import { lstat, mkdir, open, realpath, symlink } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { createGunzip } from 'node:zlib';
import { BuildFailed } from './build-failed.ts';
import { type TarEntry, tarEntries } from './tar-entries.ts';

const MAX_ENTRIES = 50_000;
const MAX_BYTES = 536_870_912;
const MAX_PATH = 1000;
/** Unpacked bytes for each packed one, beyond what any archive may have: source code does not shrink like that. */
const MAX_RATIO = 200;
const ALWAYS_ALLOWED_BYTES = 16_777_216;

/** `folder` exists and is empty. Throws BuildFailed for what is not allowed, and leaves what came before it. */
export async function unpack(archive: string, packedBytes: number, folder: string): Promise<void> {
  const limit = Math.min(MAX_BYTES, Math.max(ALWAYS_ALLOWED_BYTES, packedBytes * MAX_RATIO));
  const links: TarEntry[] = [];
  let entries = 0;
  for await (const entry of tarEntries(unpacked(archive, limit))) {
    if (++entries > MAX_ENTRIES) throw new BuildFailed(`The archive contains more than ${MAX_ENTRIES} entries.`);
    const path = safePath(entry.path);
    if (path === '') continue;
    // Links come last, so that nothing is written through one.
    if (entry.kind === 'link') links.push({ ...entry, path });
    else if (entry.kind === 'folder') await makeFolder(folder, path);
    else await writeEntry(folder, path, entry);
  }
  for (const link of links) await makeLink(folder, link);
}

/** The tar stream in the archive, which may end early when it holds too much. */
async function* unpacked(archive: string, limit: number): AsyncGenerator<Buffer> {
  const file = createReadStream(archive);
  const gunzip = createGunzip();
  file.on('error', (error) => gunzip.destroy(error));
  let bytes = 0;
  try {
    for await (const chunk of file.pipe(gunzip)) {
      bytes += (chunk as Buffer).length;
      if (bytes > limit) throw new BuildFailed('The archive is too large when unpacked.');
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

/** Without `.` and double slashes; empty for the folder itself. Throws BuildFailed for a path that leads out. */
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

async function makeFolder(folder: string, path: string): Promise<void> {
  await mkdir(join(folder, path), { recursive: true, mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST' && error.code !== 'ENOTDIR') throw error;
    throw new BuildFailed(`The archive contains ${JSON.stringify(path)} as a file and as a folder.`);
  });
}

async function writeEntry(folder: string, path: string, { content, isExecutable }: TarEntry): Promise<void> {
  if (path.includes('/')) await makeFolder(folder, dirname(path));
  const file = await open(join(folder, path), 'w', isExecutable ? 0o700 : 0o600).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EISDIR') throw error;
    throw new BuildFailed(`The archive contains ${JSON.stringify(path)} as a file and as a folder.`);
  });
  try {
    for await (const piece of content) await file.writeFile(piece);
  } finally {
    await file.close();
  }
}

/** Only links whose end is within the folder. */
async function makeLink(folder: string, { path, target }: TarEntry): Promise<void> {
  const refused = new BuildFailed(
    `The archive contains the link ${JSON.stringify(path)}, which leaves the archive or leads nowhere.`,
  );
  if (target === '' || target.startsWith('/') || target.includes('\0')) throw refused;
  const place = join(folder, path);
  if (path.includes('/')) await makeFolder(folder, dirname(path));
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
