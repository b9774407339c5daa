/** Decides whether and how programs of users run on this machine. */
import type { Config } from '../../../../config.ts';
import type { HostSettings } from '../../boundary/settings.ts';
import { findCgroups } from '../limits/cgroups.ts';
import { isRoot } from '../machine/program-user.ts';
import type { Targets } from '../network/way-out.ts';
import { findBubblewrap } from './bubblewrap.ts';
import { Folders } from './folders.ts';
import { ProcessRunner } from './process-runner.ts';
import type { Runner } from './runner.ts';
import { Sandbox } from './sandbox.ts';

interface HostingDecision {
  readonly mode: Exclude<Config['hosting'], 'auto'>;
  readonly network: Exclude<Config['hostingNetwork'], 'auto'>;
  /** Describes the mode and its reason, for the person who starts the server. */
  readonly sentence: string;
}

const PROCESS_AS_ROOT =
  'SIGNALBOX_HOSTING=process does not work as root, because hosted programs would have all rights on this machine: run the server as an ordinary user, or choose sandbox.';

/** A problem if the settings require a sandbox, or a network of their own for programs, and none works here. */
export function decideHosting({
  hosting,
  hostingNetwork,
  hostingLimits,
}: Pick<Config, 'hosting' | 'hostingNetwork' | 'hostingLimits'>): HostingDecision | { readonly problem: string } {
  if (hosting === 'off') return { mode: 'off', network: 'machine', sentence: 'off (SIGNALBOX_HOSTING)' };
  if (hosting === 'process') {
    if (isRoot) return { problem: PROCESS_AS_ROOT };
    return {
      mode: 'process',
      network: 'machine',
      sentence: `on, programs have the rights of this server; ${limitsSentence(hostingLimits)}`,
    };
  }
  const bubblewrap = findBubblewrap();
  if (typeof bubblewrap === 'string') {
    if (hosting === 'sandbox') return { problem: `SIGNALBOX_HOSTING=sandbox does not work here: ${bubblewrap}` };
    return { mode: 'off', network: 'machine', sentence: `off: ${bubblewrap}` };
  }
  const sentence = 'on, programs run in a sandbox (bubblewrap)';
  const limits = limitsSentence(hostingLimits);
  if (hostingNetwork === 'machine') {
    return { mode: 'sandbox', network: 'machine', sentence: `${sentence} in the network of this machine; ${limits}` };
  }
  const problem = bubblewrap.networkProblem;
  if (problem === undefined) {
    return { mode: 'sandbox', network: 'own', sentence: `${sentence}, each with a network of its own; ${limits}` };
  }
  if (hostingNetwork === 'own') return { problem: `SIGNALBOX_HOSTING_NETWORK=own cannot be met: ${problem}.` };
  return {
    mode: 'sandbox',
    network: 'machine',
    sentence: `${sentence} in the network of this machine: ${problem}; ${limits}`,
  };
}

/** Describes which limits the kernel enforces, and which are only watched. */
function limitsSentence(hostingLimits: Config['hostingLimits']): string {
  const found = hostingLimits === 'auto' ? findCgroups()?.sentence : undefined;
  return found === undefined ? 'memory, processes and disk are only watched' : `${found}, disk is only watched`;
}

/** Undefined if hosting is off. */
export function makeRunner(
  { home, hosting, hostingNetwork, hostingLimits, hidden }: HostSettings,
  targets: Targets,
): Runner | undefined {
  const folders = new Folders(home);
  const enclosures = hostingLimits === 'auto' ? findCgroups() : undefined;
  switch (hosting) {
    case 'off':
    case 'auto':
      return undefined;
    case 'process':
      return new ProcessRunner(folders.processes, undefined, enclosures);
    case 'sandbox': {
      const bubblewrap = findBubblewrap();
      if (typeof bubblewrap === 'string') throw new Error(bubblewrap);
      const rooms = { folder: folders.sandbox, hidden };
      const ownNetwork = hostingNetwork !== 'machine' && bubblewrap.networkProblem === undefined;
      const sandbox = new Sandbox(bubblewrap, { rooms, ownNetwork, targets, refusesHiddenMemory: !enclosures });
      return new ProcessRunner(folders.processes, sandbox, enclosures);
    }
  }
}
