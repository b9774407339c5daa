/**
 * The users of the machine that programs run as. An ordinary user has only itself, so programs run as it, without its
 * rights. For root, the programs of each server get a user of their own that nothing else on the machine uses.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Ids that are not assigned to people, services or containers. Source: systemd.io/UIDS-GIDS, "Unused". */
const FIRST_ID = 1_879_048_192;
const IDS = 268_435_456;

export const isRoot = process.getuid?.() === 0;

/** The id of user and group. Undefined if programs run as the user of this server. */
export function programUserOf(serverId: string): number | undefined {
  if (!isRoot) return undefined;
  return FIRST_ID + (createHash('sha256').update(serverId).digest().readUInt32BE() % IDS);
}

/**
 * Changes the owner of `path` and its content to `user`, which must have no process that could change it at the same
 * time. The owner of a link itself is changed, not that of its target. Does nothing without a user.
 */
export async function handOver(path: string, user: number | undefined): Promise<void> {
  if (user === undefined) return;
  await execute('chown', ['-R', '-h', '--', `${user}:${user}`, path]);
}

/** Like `handOver`, for a folder that may already belong to `user`; then all of it does. */
export async function handOverOnce(path: string, user: number | undefined): Promise<void> {
  if (user !== undefined && (await lstat(path)).uid !== user) await handOver(path, user);
}
