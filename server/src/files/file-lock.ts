/**
 * Locks of the operating system on files of their own. A lock ends with the process that holds it, however that ends.
 * SQLite takes them, because Node has no call for it.
 */
import { DatabaseSync } from 'node:sqlite';

export interface FileLock {
  release(): void;
}

/** Result codes of SQLite: busy, locked. Source: https://www.sqlite.org/rescode.html */
const TAKEN = new Set([5, 6]);

/** Undefined when another holder has it. Makes the file, which stays empty. Throws what the system answers. */
export function takeLock(file: string): FileLock | undefined {
  const connection = new DatabaseSync(file, { timeout: 0 });
  try {
    // A journal in memory: a killed process would leave a journal file behind.
    connection.exec('pragma journal_mode = memory; begin exclusive');
  } catch (error) {
    connection.close();
    if (isTaken(error)) return undefined;
    throw error;
  }
  return { release: () => connection.close() };
}

/** Whether somebody holds the lock. False where the file is missing or cannot be read. Takes nothing from others who look. */
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
