/** What an operator allows programs and builds at most. Who runs a hosted server chooses below it. */
import type { HostingCeilings } from '../../../config.ts';
import { type HostedConnection, hostedConnectionOf } from './schema.ts';

/** The settings by which an operator names them. */
const SETTINGS = {
  memoryMegabytes: 'SIGNALBOX_HOSTING_MAX_MEMORY_MB',
  diskMegabytes: 'SIGNALBOX_HOSTING_MAX_DISK_MB',
  maxProcesses: 'SIGNALBOX_HOSTING_MAX_PROCESSES',
} as const;

type Limited = keyof typeof SETTINGS;
const LIMITED = Object.keys(SETTINGS) as Limited[];
const DEFAULTS = hostedConnectionOf({});

/** What applies: no more than the ceilings, also where more was stored before they were lowered. */
export function belowCeilings(connection: HostedConnection, ceilings: HostingCeilings): HostedConnection {
  const lowered = LIMITED.map((field) => [field, Math.min(connection[field], ceilings[field])]);
  return { ...connection, ...Object.fromEntries(lowered) };
}

/** Finds the first field above its ceiling, with a sentence about it. A default above a ceiling is not the writer's mistake. */
export function ceilingProblem(
  given: Partial<HostedConnection>,
  ceilings: HostingCeilings,
): { readonly field: Limited; readonly problem: string } | undefined {
  for (const field of LIMITED) {
    const value = given[field] ?? 0;
    if (value <= ceilings[field] || value === DEFAULTS[field]) continue;
    const problem = `Input should be at most ${ceilings[field]}, which the operator of this server allows (${SETTINGS[field]}).`;
    return { field, problem };
  }
  return undefined;
}
