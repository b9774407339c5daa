/** Looks for problems that prevent a server from working, now or soon, and says what to do. It changes nothing. */
import type { Config } from '../../config.ts';
import { openExistingStore } from '../../database/opening/connect.ts';
import { systemClock } from '../../values/time.ts';
import { examineAddresses } from './addresses.ts';
import { examineDatabase } from './database.ts';
import type { Finding } from './finding.ts';
import { examineKeys } from './keys.ts';
import { examineMachine } from './machine.ts';
import { examineMail } from './mail.ts';
import { examinePeers } from './peers.ts';
import { examinePrivateTargets } from './private-targets.ts';
import { examineSecrets } from './secrets.ts';
import { examineTaskRuns } from './task-runs.ts';

/** `own` is the address on which the server of these settings listens. */
export async function examine(config: Config, own: string): Promise<Finding[]> {
  const database = await examineDatabase(config);
  // Opening the database would migrate its tables, which must wait for the next start.
  const isCurrent = database.some(({ subject, state }) => subject === 'schema' && state === 'ok');
  const isSound = !database.some(({ state }) => state === 'problem');
  return [
    ...settingsFindings(config),
    ...examineMachine(config),
    ...database,
    ...(isCurrent && isSound ? await contentOf(config) : []),
    ...(await examineAddresses(config, own)),
    await examineMail(config),
  ];
}

/** Empty if no settings file was read. */
function settingsFindings({ settingsFile }: Config): Finding[] {
  if (!settingsFile) return [];
  const { path, exposure } = settingsFile;
  const subject = 'settings';
  if (exposure) return [{ subject, state: 'warning', ...exposure }];
  return [{ subject, state: 'ok', says: `Settings are read from ${path}.` }];
}

async function contentOf(config: Config): Promise<Finding[]> {
  const store = await openExistingStore(config.databaseUrl);
  const now = systemClock.now();
  try {
    return [
      await examineSecrets(store, config),
      await examinePrivateTargets(store, config),
      await examineKeys(store, now),
      await examineTaskRuns(store, config, now),
      ...(await examinePeers(store, config)),
    ];
  } finally {
    await store.close();
  }
}
