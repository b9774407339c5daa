/** Checks that the keys decrypt the secrets of the database. */

import type { Config } from '../../config.ts';
import type { Store } from '../../database/store.ts';
import { prefixOf } from '../../encryption/encryption.ts';
import { hasKeys, Keyring } from '../../encryption/keyring.ts';
import { countSecrets } from '../../platform/stored-secrets/stored-secrets.ts';
import { counted } from '../../values/counted.ts';
import type { Finding } from './finding.ts';

const subject = 'secrets';

/** The database must have the tables of this version. */
export async function examineSecrets(store: Store, config: Config): Promise<Finding> {
  const db = store.platform.reads({ background: true });
  const all = await countSecrets(db, 'countWith', '%');
  const cure = 'Put the key back into SIGNALBOX_ENCRYPTION_KEY or encryption.key, or enter these secrets again.';
  if (!hasKeys(config)) {
    if (all === 0) return { subject, state: 'ok', says: 'There are no secrets, and no key yet.' };
    return {
      subject,
      state: 'problem',
      says: `There is no encryption key for ${counted(all, 'stored secret')}.`,
      cure,
    };
  }
  if (config.keyIsWithheld) {
    const says = `The running server has its encryption key from its environment, so no secret was tried (${all}).`;
    return { subject, state: 'warning', says, cure: 'Run this command with SIGNALBOX_ENCRYPTION_KEY too.' };
  }
  let known = 0;
  for (const { id } of new Keyring(config).all()) known += await countSecrets(db, 'countWith', `${prefixOf(id)}%`);
  if (all === 0) return { subject, state: 'ok', says: 'There are no stored secrets yet.' };
  if (known === all) return { subject, state: 'ok', says: `The keys decrypt every stored secret (${all}).` };
  return { subject, state: 'problem', says: `The keys decrypt ${known} of ${counted(all, 'stored secret')}.`, cure };
}
