/**
 * A mark that `signalbox import` stores in its target and looks for in its source, to detect that they are the same.
 */
import { deleteConfiguration, findConfiguration, putConfiguration } from '../../database/opening/configuration.ts';
import type { Db, Tx } from '../../database/store.ts';
import { jsonTextOf, parseJson } from '../../values/json.ts';

const KEY = 'import-mark';

/** Null except while an import checks its source. */
export async function findImportMark(db: Db): Promise<string | null> {
  const stored = await findConfiguration(db, KEY);
  return stored === undefined ? null : String(parseJson(stored));
}

export async function setImportMark(tx: Tx, mark: string): Promise<void> {
  await putConfiguration(tx, KEY, jsonTextOf(mark));
}

export async function clearImportMark(tx: Tx): Promise<void> {
  await deleteConfiguration(tx, KEY);
}
