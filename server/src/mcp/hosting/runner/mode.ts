/** Whether and how programs of users run on this machine. */
import type { Config } from '../../../config.ts';
import { findBubblewrap } from './bubblewrap.ts';
import { Folders } from './folders.ts';
import { ProcessRunner } from './process-runner.ts';
import type { Runner } from './runner.ts';
import { hiddenOf, Sandbox } from './sandbox.ts';

export interface HostingDecision {
  readonly mode: Exclude<Config['hosting'], 'auto'>;
  /** For whoever starts the server: what runs, and why. */
  readonly sentence: string;
}

/** `undefined` and a problem where a sandbox is asked for and none works here. */
export function decideHosting(asked: Config['hosting']): HostingDecision | { readonly problem: string } {
  if (asked === 'off') return { mode: 'off', sentence: 'off (SIGNALBOX_HOSTING)' };
  if (asked === 'process') return { mode: 'process', sentence: 'on, programs have the rights of this server' };
  const bubblewrap = findBubblewrap();
  if (typeof bubblewrap !== 'string')
    return { mode: 'sandbox', sentence: 'on, programs run in a sandbox (bubblewrap)' };
  if (asked === 'sandbox') return { problem: `SIGNALBOX_HOSTING=sandbox cannot be met: ${bubblewrap}` };
  return { mode: 'off', sentence: `off: ${bubblewrap}` };
}

/** Undefined where nothing is hosted. */
export function makeRunner(config: Pick<Config, 'home' | 'databaseUrl' | 'hosting'>): Runner | undefined {
  const folders = new Folders(config.home);
  switch (config.hosting) {
    case 'off':
    case 'auto':
      return undefined;
    case 'process':
      return new ProcessRunner(folders.processes);
    case 'sandbox': {
      const bubblewrap = findBubblewrap();
      if (typeof bubblewrap === 'string') throw new Error(bubblewrap);
      const rooms = { folder: folders.sandbox, hidden: hiddenOf(config) };
      return new ProcessRunner(folders.processes, new Sandbox(bubblewrap, rooms));
    }
  }
}
