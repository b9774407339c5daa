/**
 * Backups of a server: its database in its state at one moment, its builds and uploads of MCP servers and, on request,
 * its encryption key. The server may run during a backup; a restore creates a server where none exists.
 */
import { existsSync } from 'node:fs';
import { chmod, copyFile, lstat, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { copiesOf, kindText } from '../../database/copies/copies.ts';
import type { Copy } from '../../database/copies/copy.ts';
import { ConfigError } from '../../errors.ts';
import { makeWholeFolder } from '../../files/whole-folder.ts';
import { type CopyBudget, copyTree } from '../../mcp/hosting/host/machine/copy-tree.ts';
import { filesIn, type LeftOut, type Manifest, readManifest, writeManifest } from './manifest.ts';

type Place = Pick<Config, 'home' | 'databaseUrl' | 'encryptionKey'>;

const DATABASE = 'database';
const KEY = 'encryption.key';
/** The folders of the home folder that cannot be rebuilt from the database. */
const UPLOADS = 'hosting/uploads';
const SERVERS = 'hosting/servers';

export interface BackupOptions {
  /** A folder that does not exist yet. */
  readonly folder: string;
  /** True to include the encryption key. Anyone who has a backup with the key can read the secrets. */
  readonly withKey: boolean;
}

/**
 * Throws ConfigError when the folder exists, or when the database cannot be copied; then no folder is left. A build
 * that cannot be copied is omitted, and listed in `leftOut` of the manifest.
 */
export async function makeBackup({ home, databaseUrl }: Place, options: BackupOptions): Promise<Manifest> {
  const { folder, withKey } = options;
  const key = join(home, KEY);
  if (withKey && !existsSync(key)) {
    throw new ConfigError(
      `${key} does not exist. Is the key in SIGNALBOX_ENCRYPTION_KEY? Keep a copy of that setting.`,
    );
  }
  return makeWholeFolder(folder, async (part) => {
    const database = await copiesOf(databaseUrl);
    const made = new Date().toISOString();
    const copy = await database.copyTo(join(part, DATABASE));
    const files = await copyNamed(home, part, copy);
    if (withKey) await copyFile(key, join(part, KEY));
    const names = await filesIn(part);
    return writeManifest(part, names, { made, database: database.kind, rows: copy.rows, ...files });
  });
}

interface Restored {
  readonly manifest: Manifest;
  /** True if the secrets are readable: the key was in the backup, or is already here. */
  readonly hasKey: boolean;
}

/**
 * Fills a home folder and a database that are empty. Throws ConfigError when they are not, when the backup is
 * incomplete or has unexpected content, or when it is for the other kind of database. The database is placed last, in
 * one step. Until then there is no server, so a restore that ended early can be repeated.
 */
export async function restoreBackup({ home, databaseUrl, encryptionKey }: Place, folder: string): Promise<Restored> {
  const manifest = await readManifest(folder);
  const database = await copiesOf(databaseUrl);
  if (manifest.database !== database.kind) {
    throw new ConfigError(
      `The backup is of ${kindText[manifest.database]} database. Name one of that kind with --database-url.`,
    );
  }
  await database.checkFree();
  const key = join(home, KEY);
  const bringsKey = KEY in manifest.files;
  if (bringsKey && existsSync(key) && !(await readFile(key)).equals(await readFile(join(folder, KEY)))) {
    throw new ConfigError(`The key ${key} already exists. Move it away first.`);
  }
  const builds = await buildsIn(folder);
  await mkdir(join(home, UPLOADS), { recursive: true, mode: 0o700 });
  for (const place of builds) {
    const part = join(home, `${place}.restoring`);
    if (existsSync(join(home, place))) continue;
    await rm(part, { recursive: true, force: true });
    await copyTree(join(folder, place), part, budget);
    await rename(part, join(home, place));
  }
  for (const name of Object.keys(manifest.files)) {
    if (name.startsWith(`${UPLOADS}/`)) await copyFile(join(folder, name), join(home, name));
  }
  if (bringsKey) {
    await copyFile(join(folder, KEY), key);
    await chmod(key, 0o600);
  }
  const rows = await database.fillFrom(join(folder, DATABASE));
  for (const [table, count] of Object.entries(manifest.rows)) {
    if (rows[table] !== count)
      throw new Error(`The table ${table} has ${rows[table]} rows, but the backup has ${count}.`);
  }
  return { manifest, hasKey: existsSync(key) || encryptionKey !== '' };
}

/** Nesting depth of folders. A path with many more exceeds the limit of the system. */
const MAX_DEPTH = 200;

/** A build that cannot be copied. */
class NotCopied extends Error {}

const budget: CopyBudget = {
  takeEntry(depth) {
    if (depth > MAX_DEPTH) throw new NotCopied(`it has folders more than ${MAX_DEPTH} deep`);
  },
  takeBytes() {},
};

/**
 * The builds in a backup, as `hosting/servers/<server>/<build>`. The author of a backup may have replaced these folders
 * by links: a server that deletes such a build would delete the target of the link. Links within a build are allowed.
 */
async function buildsIn(folder: string): Promise<string[]> {
  let places = [''];
  for (const names of [['hosting'], ['servers'], undefined, undefined]) {
    const inner = await Promise.all(
      places.map(async (place) => (names ?? (await readdir(join(folder, place)))).map((name) => join(place, name))),
    );
    places = [];
    for (const place of inner.flat()) {
      const facts = await lstat(join(folder, place)).catch(() => undefined);
      if (facts && !facts.isDirectory())
        throw new ConfigError(`${join(folder, place)} is not a folder, as in a backup.`);
      if (facts) places.push(place);
    }
  }
  return places;
}

/**
 * Copies the builds and uploads to which the copied database refers. Those that are not on this machine are skipped.
 */
async function copyNamed(home: string, part: string, { builds, uploads }: Copy) {
  const leftOut: LeftOut[] = [];
  let passedOver = 0;
  for (const { server_id, id } of builds) {
    const place = join(SERVERS, server_id, id);
    if (!existsSync(join(home, place))) continue;
    try {
      passedOver += await copyTree(join(home, place), join(part, place), budget);
    } catch (error) {
      await rm(join(part, place), { recursive: true, force: true });
      leftOut.push({ serverId: server_id, buildId: id, reason: reasonOf(error) });
    }
  }
  await mkdir(join(part, UPLOADS), { recursive: true, mode: 0o700 });
  for (const { id } of uploads) {
    const place = join(UPLOADS, `${id}.tar.gz`);
    // The server deletes uploads after a day, even during a copy.
    await copyFile(join(home, place), join(part, place)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }
  return { leftOut, passedOver };
}

/** Throws errors that stop the whole backup, such as a full disk. */
function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EROFS' || code === 'EIO') throw error;
  if (error instanceof NotCopied || code !== undefined) return message;
  throw error;
}
