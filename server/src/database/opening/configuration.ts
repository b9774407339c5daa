/** Values that a workspace stores under keys that the server chooses. */

import type { JsonText } from '../../values/json.ts';
import { rows } from '../rows.ts';
import { statement } from '../statement.ts';
import type { Db, Tx } from '../store.ts';

const values = rows('configuration');

const upsert = statement<{ key: string; value: JsonText }, never>((query, given) =>
  query
    .insertInto('configuration')
    .values({ workspace: given.workspace, key: given.key, value: given.value })
    .onConflict((conflict) => conflict.columns(['workspace', 'key']).doUpdateSet({ value: given.value })),
);

/** Undefined when nothing was ever stored under the key. */
export async function findConfiguration(db: Db, key: string): Promise<JsonText | undefined> {
  return (await values.first(db, { key }))?.value;
}

export async function putConfiguration(tx: Tx, key: string, value: JsonText): Promise<void> {
  await tx.run(upsert, { key, value });
}

/** Deletes the value stored under the key, if there is one. */
export async function deleteConfiguration(tx: Tx, key: string): Promise<void> {
  await values.removeAll(tx, { key });
}
