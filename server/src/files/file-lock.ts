/**
 * Locks of the operating system, each on a file of its own. A lock ends with the process that holds it, even if the
 * process is killed. SQLite takes the locks, because Node has no call for it.
 */
import { DatabaseSync } from 'node:sqlite';

export interface FileLock {
  release(): void;
}

/** Result codes of SQLite: busy, locked. Source: https://www.sqlite.org/rescode.html */
const TAKEN = new Set([5, 6]);

/**
 * Undefined when another process has the lock. Makes the file, which stays empty. Throws other errors of the system.
 */
export function takeLock(file: string): FileLock | undefined {
  const connection = new DatabaseSync(file, { timeout: 0 });
  try {
    // The journal is in memory: a killed process would leave a journal file behind.
    connection.exec('pragma journal_mode = memory; begin exclusive');
  } catch (error) {
    connection.close();
    if (isTaken(error)) return undefined;
    throw error;
  }
  return { release: () => connection.close() };
}

/** True if a process holds the lock. False if the file is missing or unreadable. The check does not block others. */
export function isLocked(file: string): boolean {
  let connection: DatabaseSync | undefined;
  try {
    connection = new DatabaseSync(file, { readOnly: true, timeout: 0 });
    connection.prepare('pragma schema_version').get();
    return false;
  } catch (error) {
    return isTaken(error);
  } finally {
    connection?.close();
  }
}

function isTaken(error: unknown): boolean {
  return TAKEN.has((error as { errcode?: number }).errcode ?? 0);
}
