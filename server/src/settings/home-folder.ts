/** Protects the folder in which the server keeps its files. */
import { accessSync, chmodSync, constants, lstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../errors.ts';
import { makeFolder } from '../files/make-folder.ts';

/** The permission bits of the group and of others. */
const OTHERS = 0o077;
/** The names that the server itself creates in the folder. The mode of a folder protects everything below it. */
const OWN_NAMES = /^(hosting|running|encryption\.key(\.next)?|signalbox\.db(-wal|-shm|-journal|\.lock(-journal)?)?)$/;
/** The operator creates this file, and may have chosen its mode. */
const SETTINGS_NAME = 'signalbox.toml';

/**
 * Restricts the server's files there to their owner, at each start: earlier versions made some of them readable by all.
 * Files of another user, links and files that are not the server's are left unchanged, as is a folder with such files.
 */
export function tightenHome(home: string): void {
  const names = readdirSync(home);
  for (const name of names.filter((one) => OWN_NAMES.test(one))) tighten(join(home, name));
  if (names.every((name) => OWN_NAMES.test(name) || name === SETTINGS_NAME)) tighten(home);
}

function tighten(path: string): void {
  const facts = lstatSync(path, { throwIfNoEntry: false });
  if (!facts?.isFile() && !facts?.isDirectory()) return;
  const isOwn = facts.uid === (process.getuid?.() ?? facts.uid);
  if (isOwn && (facts.mode & OTHERS) !== 0) chmodSync(path, facts.mode & 0o777 & ~OTHERS);
}

/** Makes the folder if it is missing, for its owner only. Throws ConfigError when it is not writable. */
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
