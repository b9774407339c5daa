/**
 * The users of the machine that programs run as. An ordinary user has no other, so its programs are it, without its rights.
 * Root has all: programs of each server get a user of their own that nothing else on the machine has.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Ids that neither people, services nor containers are given. Source: systemd.io/UIDS-GIDS, "Unused". */
const FIRST_ID = 1_879_048_192;
const IDS = 268_435_456;

export const isRoot = process.getuid?.() === 0;

/** The id of user and group. Undefined where programs run as the user of this server. */
export function programUserOf(serverId: string): number | undefined {
  if (!isRoot) return undefined;
  return FIRST_ID + (createHash('sha256').update(serverId).digest().readUInt32BE() % IDS);
}

/**
 * Hands `path` with all that it holds over to `user`, which has no process that could change it meanwhile. Links are handed
 * over themselves, and not what they lead to. Without a user nothing happens.
 */
export async function handOver(path: string, user: number | undefined): Promise<void> {
  if (user === undefined) return;
  await execute('chown', ['-R', '-h', '--', `${user}:${user}`, path]);
}

/** The same for a folder that may belong to it already: all of it does then. */
export async function handOverOnce(path: string, user: number | undefined): Promise<void> {
  if (user !== undefined && (await lstat(path)).uid !== user) await handOver(path, user);
}
