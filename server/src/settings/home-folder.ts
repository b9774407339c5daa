/** The folder that the server keeps its files in. */
import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigError } from '../config.ts';

/** Makes it where there is none, for its owner only. Throws ConfigError when it cannot be written to. */
export function makeHome(home: string): void {
  try {
    makeFolder(home);
    if (!statSync(home).isDirectory()) throw Object.assign(new Error(), { code: 'ENOTDIR' });
    accessSync(home, constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code = '', syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined && code !== 'ENOTDIR') throw error;
    throw new ConfigError(
      `The home folder ${home} ${reasons[code] ?? `cannot be used (${code})`}. Name another in SIGNALBOX_HOME (--home).`,
    );
  }
}

const reasons: Readonly<Record<string, string>> = {
  EEXIST: 'is a file, not a folder',
  ENOTDIR: 'is a file or lies below one',
  EACCES: 'cannot be written by this user',
  EPERM: 'cannot be written by this user',
  EROFS: 'is on a disk that is mounted read-only',
  ENOSPC: 'cannot be made: the disk is full',
  ENOENT: 'cannot be made',
};

/** One by one: asked to make all at once, Node never comes back where a file system takes no folders (`/proc`). */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) makeFolder(parent);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process was faster.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
