/** Whether and how programs of users run on this machine. */
import type { Config } from '../../../config.ts';
import type { Targets } from '../network/way-out.ts';
import { findBubblewrap } from './bubblewrap.ts';
import { Folders } from './folders.ts';
import { ProcessRunner } from './process-runner.ts';
import { isRoot } from './program-user.ts';
import type { Runner } from './runner.ts';
import { hiddenOf, Sandbox } from './sandbox.ts';

export interface HostingDecision {
  readonly mode: Exclude<Config['hosting'], 'auto'>;
  readonly network: Exclude<Config['hostingNetwork'], 'auto'>;
  /** For the person who starts the server: what runs, and why. */
  readonly sentence: string;
}

const PROCESS_AS_ROOT =
  'SIGNALBOX_HOSTING=process does not work as root, because hosted programs would have all rights on this machine: run the server as an ordinary user, or choose sandbox.';

/** A problem where a sandbox, or a network of their own for programs, is asked for and none works here. */
export function decideHosting({
  hosting,
  hostingNetwork,
}: Pick<Config, 'hosting' | 'hostingNetwork'>): HostingDecision | { readonly problem: string } {
  if (hosting === 'off') return { mode: 'off', network: 'machine', sentence: 'off (SIGNALBOX_HOSTING)' };
  if (hosting === 'process') {
    if (isRoot) return { problem: PROCESS_AS_ROOT };
    return { mode: 'process', network: 'machine', sentence: 'on, programs have the rights of this server' };
  }
  const bubblewrap = findBubblewrap();
  if (typeof bubblewrap === 'string') {
    if (hosting === 'sandbox') return { problem: `SIGNALBOX_HOSTING=sandbox does not work here: ${bubblewrap}` };
    return { mode: 'off', network: 'machine', sentence: `off: ${bubblewrap}` };
  }
  const sentence = 'on, programs run in a sandbox (bubblewrap)';
  if (hostingNetwork === 'machine') {
    return { mode: 'sandbox', network: 'machine', sentence: `${sentence} in the network of this machine` };
  }
  const problem = bubblewrap.networkProblem;
  if (problem === undefined) {
    return { mode: 'sandbox', network: 'own', sentence: `${sentence}, each with a network of its own` };
  }
  if (hostingNetwork === 'own') return { problem: `SIGNALBOX_HOSTING_NETWORK=own cannot be met: ${problem}.` };
  return { mode: 'sandbox', network: 'machine', sentence: `${sentence} in the network of this machine: ${problem}` };
}

/** Undefined where nothing is hosted. */
export function makeRunner(
  config: Pick<Config, 'home' | 'databaseUrl' | 'hosting' | 'hostingNetwork'>,
  targets: Targets,
): Runner | undefined {
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
      const ownNetwork = config.hostingNetwork !== 'machine' && bubblewrap.networkProblem === undefined;
      return new ProcessRunner(folders.processes, new Sandbox(bubblewrap, { rooms, ownNetwork, targets }));
    }
  }
}
