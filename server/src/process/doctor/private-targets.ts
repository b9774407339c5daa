/** Finds targets at private addresses that are refused, or will be. */
import type { Config } from '../../config.ts';
import type { Store } from '../../database/store.ts';
import { createEncryption } from '../../encryption/encryption.ts';
import {
  findPrivateTargets,
  namingPrivateHosts,
  PRIVATE_TARGETS_CURE,
} from '../../identity/targets/private-targets.ts';
import { TargetPolicies } from '../../identity/targets/target-policy.ts';
import type { Finding } from './finding.ts';

const subject = 'private targets';

/** The database must have the tables of this version. */
export async function examinePrivateTargets(store: Store, config: Config): Promise<Finding> {
  if (config.allowPrivateTargets) {
    return { subject, state: 'ok', says: 'SIGNALBOX_ALLOW_PRIVATE_TARGETS allows all private addresses.' };
  }
  const db = store.platform.reads({ background: true });
  const naming = namingPrivateHosts(await findPrivateTargets(db, createEncryption(config), config));
  if (naming === undefined) return { subject, state: 'ok', says: 'No target is at a refused private address.' };
  const isRefused = config.allowPrivateTargets === false || (await new TargetPolicies(store, config).accountExists());
  const says = isRefused
    ? `Private targets are refused, and ${naming}.`
    : `Private targets are refused once the first account exists, and ${naming}.`;
  return { subject, state: 'warning', says, cure: PRIVATE_TARGETS_CURE };
}
