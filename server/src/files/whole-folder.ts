import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { ConfigError } from '../errors.ts';
import { makeFolder } from './make-folder.ts';

/**
 * Makes a folder that appears only when it is complete, for its owner only. `fill` gets a temporary folder beside it,
 * which no other process uses; a killed process leaves it behind. Throws ConfigError when the folder exists. Leaves
 * nothing when it throws.
 */
export async function makeWholeFolder<T>(named: string, fill: (part: string) => Promise<T>): Promise<T> {
  const folder = resolve(named);
  const taken = new ConfigError(`${folder} already exists. Name a folder that does not exist.`);
  if (existsSync(folder)) throw taken;
  const part = await makeBeside(folder);
  try {
    const filled = await fill(part);
    await rename(part, folder).catch((error: NodeJS.ErrnoException) => {
      // Another process may have made the folder in the meantime.
      throw error.code === 'ENOTEMPTY' ? taken : error;
    });
    return filled;
  } finally {
    await rm(part, { recursive: true, force: true });
  }
}

async function makeBeside(folder: string): Promise<string> {
  try {
    makeFolder(dirname(folder));
    return await mkdtemp(`${folder}.part-`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(`${folder} cannot be created (${code}). Name a folder in which this user can write.`);
  }
}
