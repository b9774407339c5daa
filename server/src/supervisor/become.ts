/** Turns the process of a command into the supervisor. */
import { fileURLToPath } from 'node:url';
import { COMPILE_CACHE_FOLDER } from '../folders.ts';
import type { SettingFlags } from '../settings/sources/resolve.ts';

/** A process that only hands on needs little memory. */
const V8_FLAGS = ['--max-semi-space-size=2', '--max-old-space-size=256'];

/** The words of the command line for the supervisor. */
export interface SupervisorGiven {
  readonly flags: SettingFlags;
  readonly json: boolean;
}

/**
 * Replaces the program of this process, and keeps its number: the command has loaded the whole server to run any command,
 * and the supervisor needs little of it.
 */
export function becomeSupervisor(given: SupervisorGiven): never {
  // A bundle has all programs in one folder.
  const name = import.meta.url.endsWith('.ts') ? './supervisor-process.ts' : './supervisor-process.js';
  const program = fileURLToPath(new URL(name, import.meta.url));
  const environment = { NODE_COMPILE_CACHE: fileURLToPath(COMPILE_CACHE_FOLDER), ...process.env };
  return process.execve!(
    process.execPath,
    [process.execPath, ...V8_FLAGS, program, JSON.stringify(given)],
    environment,
  );
}
