/** Keeps the ids of the objects that the sample brought. A name or a tag proves nothing. */
import { deleteConfiguration, findConfiguration } from '../../../database/opening/configuration.ts';
import { rows } from '../../../database/rows.ts';
import type { Db, Tx } from '../../../database/store.ts';
import { jsonTextOf } from '../../../values/json.ts';
import type { Timestamp } from '../../../values/time.ts';

export interface SampleMark {
  readonly loaded: Timestamp;
  readonly flows: readonly string[];
  readonly deployments: readonly string[];
  readonly flow_runs: readonly string[];
  readonly work_pool: string;
  readonly work_queue: string;
  readonly automation: string;
}

const KEY = 'sample';
const values = rows('configuration');

export async function findSample(db: Db): Promise<SampleMark | undefined> {
  const stored = await findConfiguration(db, KEY);
  return stored === undefined ? undefined : (JSON.parse(stored) as SampleMark);
}

/** False if the workspace has a sample: the key of the row decides, so two requests cannot both load one. */
export async function markSample(tx: Tx, mark: SampleMark): Promise<boolean> {
  return (await values.insertUnlessThere(tx, { key: KEY, value: jsonTextOf(mark) })) !== undefined;
}

export async function unmarkSample(tx: Tx): Promise<void> {
  await deleteConfiguration(tx, KEY);
}
