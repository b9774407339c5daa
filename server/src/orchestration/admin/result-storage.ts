/** Where flow runs keep their results when they name no storage of their own: a block document, kept as a setting. */
import type { Context } from '../../context.ts';
import { NotFound } from '../../errors.ts';
import { parseObject } from '../../json.ts';
import { deleteConfiguration, findConfiguration } from './queries.ts';
import type { ServerDefaultResultStorage } from './schema.ts';

const KEY = 'server-default-result-storage';

export async function readResultStorage(context: Context): Promise<ServerDefaultResultStorage> {
  const stored = await findConfiguration(context.db, KEY);
  const id = stored && parseObject(stored)['default_result_storage_block_id'];
  return { default_result_storage_block_id: typeof id === 'string' ? id : null };
}

/** There are no block documents yet, so none can be found. Throws NotFound. */
export function chooseResultStorage(blockDocumentId: string): never {
  throw new NotFound(`Block document ${blockDocumentId} not found.`);
}

export function clearResultStorage(context: Context): Promise<void> {
  return context.transaction((tx) => deleteConfiguration(tx, KEY));
}
