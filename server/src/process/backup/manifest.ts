/**
 * The content of a backup: a folder with the database, files of the home folder, and `backup.json`, which lists them.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type DatabaseKind, kindText } from '../../database/copies/copies.ts';
import type { Rows } from '../../database/copies/copy.ts';
import { ConfigError } from '../../errors.ts';
import { isJsonObject } from '../../values/json.ts';
import { VERSION } from '../../values/versions.ts';

const NAME = 'backup.json';

export interface Manifest {
  /** Version of Signalbox that made it. */
  readonly version: string;
  /** Time of the state that it contains. */
  readonly made: string;
  readonly database: DatabaseKind;
  /** The SHA-256 of each file, by its path in the folder. */
  readonly files: Readonly<Record<string, string>>;
  readonly rows: Rows;
  /** Builds of MCP servers that could not be copied, which must be built again after a restore. */
  readonly leftOut?: readonly LeftOut[];
  /** Number of pipes, sockets and devices in builds, which a backup does not contain. */
  readonly passedOver?: number;
}

export interface LeftOut {
  readonly serverId: string;
  readonly buildId: string;
  readonly reason: string;
}

export async function writeManifest(
  folder: string,
  names: readonly string[],
  given: Omit<Manifest, 'version' | 'files'>,
): Promise<Manifest> {
  const files: Record<string, string> = {};
  for (const name of names) files[name] = await digestOf(join(folder, name));
  const manifest = { version: VERSION, ...given, files };
  await writeFile(join(folder, NAME), `${JSON.stringify(manifest, undefined, 2)}\n`, { mode: 0o600 });
  return manifest;
}

/**
 * Throws ConfigError for a folder that is not a backup, or whose files are missing, changed or unexpected. Follows no
 * links.
 */
export async function readManifest(folder: string): Promise<Manifest> {
  const manifest = await parse(folder);
  const there = new Set(await filesIn(folder));
  const added = [...there].find((name) => name !== NAME && !Object.hasOwn(manifest.files, name));
  if (added !== undefined) {
    throw new ConfigError(`The backup ${folder} contains the file ${added}, which was added after the backup.`);
  }
  for (const [name, digest] of Object.entries(manifest.files)) {
    if (!there.has(name)) throw new ConfigError(`The backup ${folder} lacks its file ${name}.`);
    if ((await digestOf(join(folder, name))) !== digest)
      throw new ConfigError(`The file ${name} of the backup ${folder} has changed since the backup.`);
  }
  return manifest;
}

/**
 * Paths of the files, relative to the folder. Links and their targets are not listed: `readdir` with `recursive`
 * follows links to folders, and a link in a build may lead to the whole machine.
 */
export async function filesIn(folder: string): Promise<string[]> {
  const files: string[] = [];
  const folders = [''];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    for (const entry of await readdir(join(folder, next), { withFileTypes: true })) {
      const path = join(next, entry.name);
      if (entry.isDirectory()) folders.push(path);
      if (entry.isFile()) files.push(path);
    }
  }
  return files;
}

async function parse(folder: string): Promise<Manifest> {
  try {
    const manifest: unknown = JSON.parse(await readFile(join(folder, NAME), 'utf8'));
    const isOurs = isJsonObject(manifest) && Object.hasOwn(kindText, String(manifest['database']));
    if (isOurs && isJsonObject(manifest['files']) && isJsonObject(manifest['rows'])) {
      return manifest as unknown as Manifest;
    }
  } catch {
    // The code below throws the same error for every reason.
  }
  throw new ConfigError(`${folder} is not a backup: it has no ${NAME} that can be read.`);
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
