/** Where flow runs keep their results when they name no storage of their own: a block document, kept as a setting. */
import type { Context } from '../../context.ts';
import type { Db, Tx } from '../../database/store.ts';
import { NotFound, Unprocessable } from '../../errors.ts';
import { jsonTextOf, parseJson, parseObject } from '../../json.ts';
import { findCapabilitiesOfDocument } from '../blocks/documents/queries.ts';
import { deleteConfiguration, findConfiguration, putConfiguration } from './queries.ts';
import type { ServerDefaultResultStorage } from './schema.ts';

const KEY = 'server-default-result-storage';

export async function readResultStorage(db: Db): Promise<ServerDefaultResultStorage> {
  const stored = await findConfiguration(db, KEY);
  const id = stored && parseObject(stored)['default_result_storage_block_id'];
  return { default_result_storage_block_id: typeof id === 'string' ? id : null };
}

/** Throws NotFound, and Unprocessable for a document of a block that cannot be written to. */
export function chooseResultStorage(context: Context, blockDocumentId: string): Promise<ServerDefaultResultStorage> {
  const storage = { default_result_storage_block_id: blockDocumentId };
  return context.transaction(async (tx) => {
    const capabilities = await findCapabilitiesOfDocument(tx, blockDocumentId);
    if (capabilities === undefined) throw new NotFound(`Block document ${blockDocumentId} not found.`);
    if (!(parseJson(capabilities) as string[]).includes('write-path')) {
      throw new Unprocessable(`Block document ${blockDocumentId} cannot be used for result storage.`);
    }
    await putConfiguration(tx, KEY, jsonTextOf(storage));
    return storage;
  });
}

export function clearResultStorage(context: Context): Promise<void> {
  return context.transaction((tx) => deleteConfiguration(tx, KEY));
}

/** After a deletion that may have taken the chosen document along. */
export async function forgetDeletedResultStorage(tx: Tx): Promise<void> {
  const { default_result_storage_block_id: id } = await readResultStorage(tx);
  if (id && (await findCapabilitiesOfDocument(tx, id)) === undefined) await deleteConfiguration(tx, KEY);
}
