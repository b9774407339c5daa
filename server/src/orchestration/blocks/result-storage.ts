/** The result storage of flow runs that name none: a block document, kept as a setting. */
import type { Context } from '../../context/context.ts';
import { deleteConfiguration, findConfiguration, putConfiguration } from '../../database/opening/configuration.ts';
import { statement } from '../../database/statement.ts';
import type { Db, Tx } from '../../database/store.ts';
import { found, Unprocessable } from '../../errors.ts';
import { type JsonText, jsonTextOf, parseJson, parseObject } from '../../values/json.ts';

const KEY = 'server-default-result-storage';

const capabilitiesById = statement<{ id: string }, { capabilities: JsonText }>((query, given) =>
  query
    .selectFrom('block_document')
    .innerJoin('block_schema', (join) =>
      join
        .onRef('block_schema.workspace', '=', 'block_document.workspace')
        .onRef('block_schema.id', '=', 'block_document.block_schema_id'),
    )
    .select('block_schema.capabilities')
    .where('block_document.workspace', '=', given.workspace)
    .where('block_document.id', '=', given.id),
);

/** The id of the block document; null when none is chosen. */
interface ResultStorage {
  readonly default_result_storage_block_id: string | null;
}

export async function readResultStorage(db: Db): Promise<ResultStorage> {
  const stored = await findConfiguration(db, KEY);
  const id = stored && parseObject(stored)['default_result_storage_block_id'];
  return { default_result_storage_block_id: typeof id === 'string' ? id : null };
}

/** Throws NotFound, and Unprocessable for a block to which results cannot be written. */
export function chooseResultStorage(context: Context, blockDocumentId: string): Promise<ResultStorage> {
  const storage = { default_result_storage_block_id: blockDocumentId };
  return context.transaction(async (tx) => {
    const stored = await findCapabilitiesOfDocument(tx, blockDocumentId);
    const capabilities = found(stored, `Block document ${blockDocumentId} not found.`);
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

/** Call it after a deletion that may have deleted the chosen document. */
export async function forgetDeletedResultStorage(tx: Tx): Promise<void> {
  const { default_result_storage_block_id: id } = await readResultStorage(tx);
  if (id && (await findCapabilitiesOfDocument(tx, id)) === undefined) await deleteConfiguration(tx, KEY);
}

/** The capabilities of a document's block, as a JSON list of texts. Undefined when there is no such document. */
async function findCapabilitiesOfDocument(db: Db, id: string): Promise<JsonText | undefined> {
  return (await db.first(capabilitiesById, { id }))?.capabilities;
}
