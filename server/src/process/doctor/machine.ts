/** Checks the home folder and its disk, and the needs of hosted MCP servers. */
import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import type { Config } from '../../config.ts';
import { ConfigError } from '../../errors.ts';
import { decideHosting } from '../../mcp/hosting/host/runner/mode.ts';
import { sqliteFileOf } from '../../settings/database-url.ts';
import { processesOf } from '../../supervision/process-count.ts';
import { counted } from '../../values/counted.ts';
import { type Finding, sizeText } from './finding.ts';

const LITTLE_BYTES = 1_000_000_000;
const LITTLE_SHARE = 0.05;
/** Types of network file systems. Source: Linux, `statfs(2)`. */
const IN_NETWORK = new Map([
  [0x6969, 'NFS'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
]);

export function examineMachine(config: Config): Finding[] {
  return [...homeFindings(config), processesFinding(config), hostingFinding(config)];
}

function homeFindings({ home, databaseUrl }: Config): Finding[] {
  const subject = 'home folder';
  if (!existsSync(home)) {
    const cure = 'Start the server once to create it, or name the right one with SIGNALBOX_HOME (--home).';
    return [{ subject, state: 'warning', says: `${home} does not exist.`, cure }];
  }
  try {
    accessSync(home, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    const cure = 'Run the server, and this command, as the user who owns the folder.';
    return [{ subject, state: 'problem', says: `This user cannot write to ${home}.`, cure }];
  }
  const { bavail, blocks, bsize, type } = statfsSync(home);
  const [free, share] = [bavail * bsize, bavail / Math.max(1, blocks)];
  const isLittle = free < LITTLE_BYTES || share < LITTLE_SHARE;
  const disk: Finding = isLittle
    ? {
        subject: 'disk',
        state: 'warning',
        says: `The disk of ${home} has only ${sizeText(free)} left. On a full disk the server refuses every write (503).`,
        cure: 'Free some space. "signalbox db report" lists what the database uses.',
      }
    : { subject: 'disk', state: 'ok', says: `The disk of ${home} has ${sizeText(free)} left.` };
  const network = IN_NETWORK.get(type);
  if (network === undefined || sqliteFileOf(databaseUrl) === undefined) {
    return [{ subject, state: 'ok', says: `The server can write to ${home}.` }, disk];
  }
  const says = `${home} is on ${network}, where the locks of SQLite do not work.`;
  const cure = 'Keep the database on a disk of this machine, or use PostgreSQL.';
  return [{ subject, state: 'problem', says, cure }, disk];
}

function processesFinding(config: Config): Finding {
  const subject = 'processes';
  try {
    const processes = processesOf(config);
    return {
      subject,
      state: 'ok',
      says: `${counted(processes, 'process', 'processes')} of the server would serve here.`,
    };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return {
      subject,
      state: 'problem',
      says: error.message,
      cure: 'The server does not start until this is corrected.',
    };
  }
}

function hostingFinding(config: Config): Finding {
  const subject = 'hosting';
  const decision = decideHosting(config);
  if ('problem' in decision) {
    return {
      subject,
      state: 'problem',
      says: decision.problem,
      cure: 'Install bubblewrap, or set SIGNALBOX_HOSTING=auto.',
    };
  }
  const says = `Hosting of MCP servers is ${decision.sentence}.`;
  if (config.hosting !== 'auto' || decision.mode !== 'off') return { subject, state: 'ok', says };
  return {
    subject,
    state: 'warning',
    says,
    cure: 'Install bubblewrap, or set SIGNALBOX_HOSTING=off if you host no servers.',
  };
}
