/** Tries the connections to the other servers on the database, and looks for the files of their programs. */
import { existsSync } from 'node:fs';
import { connect } from 'node:tls';
import type { Config } from '../../config.ts';
import { listPeers } from '../../database/peer-rows.ts';
import type { Store } from '../../database/store.ts';
import type { Row } from '../../database/tables/tables.ts';
import { Keyring } from '../../encryption/keyring.ts';
import type { SocketPath } from '../../files/socket-path.ts';
import { Folders } from '../../mcp/hosting/host/runner/folders.ts';
import { listLiveBuilds } from '../../mcp/hosting/launch/queries.ts';
import { needsArtifact, type StoredLaunch } from '../../mcp/hosting/launch/stored-launch.ts';
import { LIVING_SECONDS } from '../../peers/directory.ts';
import { hostAndPortOf, socketOf, socketPathOf } from '../../peers/peer-address.ts';
import { connectingOptions } from '../../peers/peer-key.ts';
import { counted } from '../../values/counted.ts';
import { secondsBetween, timestampFromMicroseconds } from '../../values/time.ts';
import { type Finding, firstOf } from './finding.ts';

const ANSWER_MILLISECONDS = 5000;

/** Empty on a database of one process. */
export async function examinePeers(store: Store, config: Config): Promise<Finding[]> {
  if (!store.replicas || !store.sharedTime || config.keyIsWithheld) return [];
  const now = timestampFromMicroseconds(await store.sharedTime());
  const known = await store.platform.reads({ background: true }).all(listPeers);
  const living = known.filter(({ seen }) => secondsBetween(seen, now) < LIVING_SECONDS);
  const programs = await programsOf(store, config);
  return [await reached(living, config), ...programs];
}

async function reached(living: readonly Row<'peer'>[], config: Config): Promise<Finding> {
  const subject = 'peers';
  const keyring = new Keyring(config);
  const problems: string[] = [];
  for (const { address } of living) {
    const problem = await tryConnection(address, keyring);
    if (problem !== undefined) problems.push(`${address} (${problem})`);
  }
  const servers = counted(living.length, 'server');
  if (problems.length === 0) {
    return { subject, state: 'ok', says: `${servers} on this database can be reached from here.` };
  }
  return {
    subject,
    state: 'problem',
    says: `Of ${servers} on this database, these cannot be reached from here: ${firstOf(problems)}. MCP sessions that they keep, and programs that they run, do not work at the others.`,
    cure: 'Servers on several machines need SIGNALBOX_PEER_PORT, a way from each to that port of the others, and one encryption key.',
  };
}

/** Undefined if the server answers and has the key. */
function tryConnection(address: string, keyring: Keyring): Promise<string | undefined> {
  return new Promise((resolve) => {
    let path: SocketPath | undefined;
    try {
      const socket = socketOf(address);
      path = socket === undefined ? undefined : socketPathOf(socket);
      const where = path ? { path: path.text } : hostAndPortOf(address);
      const connection = connect({ ...connectingOptions(keyring), ...where, timeout: ANSWER_MILLISECONDS });
      const end = (problem: string | undefined) => {
        connection.destroy();
        path?.close();
        path = undefined;
        resolve(problem);
      };
      connection.once('secureConnect', () => end(undefined));
      connection.once('timeout', () => end('it does not answer'));
      connection.once('error', ({ code = 'no connection' }: NodeJS.ErrnoException) =>
        end(code.startsWith('ERR_SSL') ? 'it has another encryption key' : code),
      );
    } catch (error) {
      resolve((error as NodeJS.ErrnoException).code ?? 'no connection');
    }
  });
}

/** A server without the files of a program leaves it to the others. */
async function programsOf(store: Store, { home, hosting }: Config): Promise<Finding[]> {
  if (hosting === 'off') return [];
  const folders = new Folders(home);
  const live = await store.platform.reads({ background: true }).all(listLiveBuilds);
  const missing = live.filter(
    ({ server_id, build_id, launch }) =>
      needsArtifact(JSON.parse(launch ?? '{}') as StoredLaunch) && !existsSync(folders.artifact(server_id, build_id)),
  );
  if (missing.length === 0) return [];
  return [
    {
      subject: 'programs',
      state: 'warning',
      says: `The files of ${counted(missing.length, 'live deployment')} are not on this machine, so it does not run them: ${firstOf(missing.map(({ slug }) => slug))}.`,
      cure: 'Give the servers that host programs one folder "hosting" in their home folders, or build them here again.',
    },
  ];
}
