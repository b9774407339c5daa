/** The times for which a workspace keeps its rows, where they are shorter than those of the server. */
import { findConfiguration, putConfiguration } from '../../database/opening/configuration.ts';
import type { Db, Tx } from '../../database/store.ts';
import { jsonTextOf } from '../../values/json.ts';

/** Seconds; null for as long as the server keeps them. */
export interface RetentionRules {
  readonly eventSeconds: number | null;
  readonly logSeconds: number | null;
  readonly flowRunSeconds: number | null;
  /** The logs of the runs of some deployments. */
  readonly deployments: readonly { readonly deploymentId: string; readonly logSeconds: number }[];
}

const KEY = 'retention';
const NO_RULES: RetentionRules = { eventSeconds: null, logSeconds: null, flowRunSeconds: null, deployments: [] };

export async function findRules(db: Db): Promise<RetentionRules> {
  const stored = await findConfiguration(db, KEY);
  return stored === undefined ? NO_RULES : (JSON.parse(stored) as RetentionRules);
}

export async function putRules(tx: Tx, rules: RetentionRules): Promise<void> {
  await putConfiguration(tx, KEY, jsonTextOf(rules));
}
