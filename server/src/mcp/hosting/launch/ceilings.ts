/** An operator's ceilings for programs and builds. The editors of a hosted server choose values below them. */
import type { HostingCeilings } from '../../../config.ts';
import { type HostedConnection, hostedConnectionOf } from './schema.ts';

/** The settings for the ceilings. */
const SETTINGS = {
  memoryMegabytes: 'SIGNALBOX_HOSTING_MAX_MEMORY_MB',
  diskMegabytes: 'SIGNALBOX_HOSTING_MAX_DISK_MB',
  maxProcesses: 'SIGNALBOX_HOSTING_MAX_PROCESSES',
} as const;

type Limited = keyof typeof SETTINGS;
const LIMITED = Object.keys(SETTINGS) as Limited[];
const DEFAULTS = hostedConnectionOf({});

/** The effective values: at most the ceilings, even if more was stored before they were lowered. */
export function belowCeilings(connection: HostedConnection, ceilings: HostingCeilings): HostedConnection {
  const lowered = LIMITED.map((field) => [field, Math.min(connection[field], ceilings[field])]);
  return { ...connection, ...Object.fromEntries(lowered) };
}

/**
 * Finds the first field above its ceiling, with a sentence about it. A default above a ceiling is not an error of the
 * caller.
 */
export function ceilingProblem(
  given: Partial<HostedConnection>,
  ceilings: HostingCeilings,
): { readonly field: Limited; readonly problem: string } | undefined {
  for (const field of LIMITED) {
    const value = given[field] ?? 0;
    if (value <= ceilings[field] || value === DEFAULTS[field]) continue;
    const problem = `Input should be at most ${ceilings[field]}, the limit of the operator of this server (${SETTINGS[field]}).`;
    return { field, problem };
  }
  return undefined;
}
