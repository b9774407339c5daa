import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder that a person has named, and those above it, for their owner only, one by one: a recursive `mkdir` of
 * Node never returns on a file system without folders (`/proc`). Throws the error of the system.
 */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) makeFolder(parent);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process made the folder first.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
