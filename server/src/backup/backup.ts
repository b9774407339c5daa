/**
 * Backups of a server: its database as it is at one moment, its builds and uploads of MCP servers and, where asked for,
 * its encryption key. A server may run meanwhile; a restore makes a server that does not exist yet.
 */
import { existsSync } from 'node:fs';
import { chmod, copyFile, cp, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Config } from '../config.ts';
import { type Copy, copiesOf, kindText } from '../database/copies.ts';
import { ConfigError } from '../errors.ts';
import { type CopyBudget, copyTree } from '../mcp/hosting/runner/copy-tree.ts';
import { type LeftOut, type Manifest, readManifest, writeManifest } from './manifest.ts';

type Place = Pick<Config, 'home' | 'databaseUrl' | 'encryptionKey'>;

const DATABASE = 'database';
const KEY = 'encryption.key';
/** What of the home folder cannot be made again from the database. */
const UPLOADS = 'hosting/uploads';
const SERVERS = 'hosting/servers';

export interface BackupOptions {
  /** A folder that does not exist yet. */
  readonly folder: string;
  /** Whether to include the encryption key. Anyone who has a backup with the key can read the secrets. */
  readonly withKey: boolean;
}

/**
 * Throws ConfigError when the folder exists, or the database cannot be copied; then no folder is left. A build that cannot
 * be copied is left out, and named in `leftOut` of the manifest.
 */
export async function makeBackup({ home, databaseUrl }: Place, options: BackupOptions): Promise<Manifest> {
  const { folder, withKey } = options;
  if (existsSync(folder)) throw new ConfigError(`${folder} exists already. Name a folder that does not.`);
  const key = join(home, KEY);
  if (withKey && !existsSync(key)) {
    throw new ConfigError(
      `${key} does not exist. Is the key in SIGNALBOX_ENCRYPTION_KEY? Keep a copy of that setting.`,
    );
  }
  const part = `${folder}.part`;
  await mkdir(part, { recursive: true, mode: 0o700 });
  try {
    const database = await copiesOf(databaseUrl);
    const made = new Date().toISOString();
    const copy = await database.copyTo(join(part, DATABASE));
    const files = await copyNamed(home, part, copy);
    if (withKey) await copyFile(key, join(part, KEY));
    const names = await filesIn(part);
    const manifest = await writeManifest(part, names, { made, database: database.kind, rows: copy.rows, ...files });
    await rename(part, folder);
    return manifest;
  } finally {
    await rm(part, { recursive: true, force: true });
  }
}

export interface Restored {
  readonly manifest: Manifest;
  /** Whether the secrets can be read: the key came with the backup, or is here. */
  readonly hasKey: boolean;
}

/**
 * Fills a home folder and a database that are empty. Throws ConfigError when they are not, when the backup is not whole,
 * or when it is of the other kind of database.
 */
export async function restoreBackup({ home, databaseUrl, encryptionKey }: Place, folder: string): Promise<Restored> {
  const manifest = await readManifest(folder);
  const database = await copiesOf(databaseUrl);
  if (manifest.database !== database.kind) {
    throw new ConfigError(
      `The backup is of ${kindText[manifest.database]} database. Name one of that kind with --database-url.`,
    );
  }
  await mkdir(home, { recursive: true, mode: 0o700 });
  const key = join(home, KEY);
  const bringsKey = KEY in manifest.files;
  if (bringsKey && existsSync(key)) throw new ConfigError(`There is a key ${key} already. Move it away first.`);
  const rows = await database.fillFrom(join(folder, DATABASE));
  for (const [table, count] of Object.entries(manifest.rows)) {
    if (rows[table] !== count) throw new Error(`The table ${table} has ${rows[table]} rows, and the backup ${count}.`);
  }
  for (const name of [UPLOADS, SERVERS]) {
    if (existsSync(join(folder, name))) await cp(join(folder, name), join(home, name), COPIED_AS_IT_IS);
  }
  if (bringsKey) {
    await copyFile(join(folder, KEY), key);
    await chmod(key, 0o600);
  }
  return { manifest, hasKey: existsSync(key) || encryptionKey !== '' };
}

/** Folders within each other. A path of many more is longer than the system takes. */
const MAX_DEPTH = 200;

/** A build that cannot be copied. */
class NotCopied extends Error {}

const budget: CopyBudget = {
  takeEntry(depth) {
    if (depth > MAX_DEPTH) throw new NotCopied(`it has folders more than ${MAX_DEPTH} deep`);
  },
  takeBytes() {},
};

const COPIED_AS_IT_IS = { recursive: true, verbatimSymlinks: true } as const;

/** Copies the builds and uploads that the copied database names. One that is not on this machine is not copied. */
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
    // The server forgets uploads after a day, also while they are copied.
    await copyFile(join(home, place), join(part, place)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }
  return { leftOut, passedOver };
}

/** Throws what keeps the whole backup from being written, such as a full disk. */
function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EROFS' || code === 'EIO') throw error;
  if (error instanceof NotCopied || code !== undefined) return message;
  throw error;
}

/** Paths of the files, relative to the folder. Links are copied, and not listed. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}
