/** What other resources ask of block documents that they name. */
import type { Tx } from '../../database/store.ts';
import { IntegrityConflict } from '../../errors.ts';
import { findBlockDocument } from '../blocks/documents/queries.ts';

/** Throws IntegrityConflict unless there are documents with all of the ids. */
export async function requireDocuments(tx: Tx, ids: readonly string[]): Promise<void> {
  for (const id of ids) if (!(await findBlockDocument(tx, id))) throw new IntegrityConflict();
}
