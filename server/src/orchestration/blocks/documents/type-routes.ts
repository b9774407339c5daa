/** Routes of the documents of a block type. */
import { found } from '../../../errors.ts';
import type { Route } from '../../../http/routes/route.ts';
import { routesOf } from '../../../http/routes/routes-of.ts';
import { Type } from '../../../schema/kinds.ts';
import { MISSING as MISSING_TYPE } from '../types/operations.ts';
import { blockTypes } from '../types/queries.ts';
import { MISSING } from './operations.ts';
import { blockDocuments, listBlockDocuments } from './queries.ts';
import { readForCaller } from './read.ts';
import { BlockDocument, secretsQuery } from './schema.ts';

const { get } = routesOf(['Block types', 'Block types', 'Block documents'], 'blocks');

export const blockTypeDocumentRoutes: readonly Route[] = [
  get(
    '/block_types/slug/{slug}/block_documents',
    'read_block_documents_for_block_type_block_types_slug__slug__block_documents_get',
    {
      summary: 'List the documents of a block type',
      description:
        'Every document of the type. Secrets are masked unless `include_secrets` is true and the caller may read them. 422 when they have more than 16 MB: list pages of them instead.',
      query: secretsQuery,
      answers: Type.Array(BlockDocument),
      handler: async ({ context, path, query }) => {
        const { slug } = found(await blockTypes.first(context.db, path), MISSING_TYPE);
        const filters = { block_types: { slug: { any_: [slug] } } };
        const all = { sort: 'NAME_ASC', limit: undefined, offset: 0 } as const;
        const rows = await listBlockDocuments(context.db, filters, all);
        return readForCaller(context, rows, query.include_secrets);
      },
    },
  ),
  get(
    '/block_types/slug/{slug}/block_documents/name/{block_document_name}',
    'read_block_document_by_name_for_block_type_block_types_slug__slug__block_documents_name__block_document_name__get',
    {
      summary: 'Read a document of a type by name',
      description:
        'One document by type and name. Secrets are masked unless `include_secrets` is true and the caller may read them. 404 when there is none.',
      query: secretsQuery,
      answers: BlockDocument,
      handler: async ({ context, path, query }) => {
        const { id } = found(await blockTypes.first(context.db, { slug: path.slug }), MISSING);
        const key = { block_type_id: id, name: path.block_document_name };
        const row = found(await blockDocuments.first(context.db, key), MISSING);
        const [document] = await readForCaller(context, [row], query.include_secrets);
        return document;
      },
    },
  ),
];
