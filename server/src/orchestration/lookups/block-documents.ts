/** Queries that other resources use for the block documents to which they refer. */
import { statement } from '../../database/statement.ts';
import type { Db } from '../../database/store.ts';
import { IntegrityConflict } from '../../errors.ts';

const idOfDocument = statement<{ id: string }, { id: string }>((query, given) =>
  query.selectFrom('block_document').select('id').where('workspace', '=', given.workspace).where('id', '=', given.id),
);

export async function hasBlockDocument(db: Db, id: string): Promise<boolean> {
  return (await db.first(idOfDocument, { id })) !== undefined;
}

/** Throws IntegrityConflict unless every id has a document. */
export async function requireDocuments(db: Db, ids: readonly string[]): Promise<void> {
  for (const id of ids) if (!(await hasBlockDocument(db, id))) throw new IntegrityConflict();
}
