import { found } from '../../../errors.ts';
import type { Route } from '../../../http/routes/route.ts';
import { routesOf } from '../../../http/routes/routes-of.ts';
import { Type } from '../../../schema/kinds.ts';
import { listQuery, partOf } from '../../filters/pagination.ts';
import { createBlockDocument, deleteBlockDocument, MISSING, updateBlockDocument } from './operations.ts';
import { blockDocuments, countBlockDocuments, listBlockDocuments } from './queries.ts';
import { readBlockDocuments, readForCaller } from './read.ts';
import {
  BlockDocument,
  BlockDocumentCreate,
  BlockDocumentSort,
  BlockDocumentUpdate,
  blockDocumentBodies,
  secretsQuery,
} from './schema.ts';

const { get, search, post, patch, remove } = routesOf('Block documents', 'blocks');

export const blockDocumentRoutes: readonly Route[] = [
  post('/block_documents/', 'create_block_document_block_documents__post', {
    summary: 'Create a block document',
    description:
      'Stores the values of a block. Fields that its schema marks as secret are encrypted. 409 when the type has a document of that name.',
    body: BlockDocumentCreate,
    secretBody: true,
    answers: [201, BlockDocument],
    handler: ({ context, body }) => createBlockDocument(context, body),
  }),
  get('/block_documents/', 'list_block_documents_block_documents__get', {
    summary: 'List block documents',
    description: 'One page of documents with names, secrets masked. 422 when they have more than 16 MB: request fewer.',
    query: listQuery(BlockDocumentSort, 'NAME_ASC'),
    answers: Type.Array(BlockDocument),
    handler: async ({ context, query }) => {
      const page = partOf(context, query);
      return readBlockDocuments(context, context.db, await listBlockDocuments(context.db, {}, page), false);
    },
  }),
  search('/block_documents/filter', 'read_block_documents_block_documents_filter_post', {
    summary: 'List block documents that match filters',
    description:
      'One page of the documents that match all the filters. Secrets are masked unless `include_secrets` is true and the caller may read them. 422 when they have more than 16 MB: request fewer.',
    body: blockDocumentBodies.filter,
    answers: Type.Array(BlockDocument),
    handler: async ({ context, body }) => {
      const { sort, offset, limit, include_secrets, ...filters } = body;
      const page = partOf(context, { sort: sort ?? 'NAME_ASC', offset, limit });
      const rows = await listBlockDocuments(context.db, filters, page);
      return readForCaller(context, rows, include_secrets);
    },
  }),
  search('/block_documents/count', 'count_block_documents_block_documents_count_post', {
    summary: 'Count block documents',
    description: 'The number of documents that match all the filters.',
    body: blockDocumentBodies.count,
    answers: Type.Integer(),
    handler: ({ context, body }) => countBlockDocuments(context.db, body),
  }),
  get('/block_documents/{id}', 'read_block_document_by_id_block_documents__id__get', {
    summary: 'Read a block document',
    description:
      'One document by id. Secrets are masked unless `include_secrets` is true and the caller may read them. 404 when there is none.',
    query: secretsQuery,
    answers: BlockDocument,
    handler: async ({ context, path, query }) => {
      const row = found(await blockDocuments.first(context.db, path), MISSING);
      const [document] = await readForCaller(context, [row], query.include_secrets);
      return document;
    },
  }),
  remove('/block_documents/{id}', 'delete_block_document_block_documents__id__delete', {
    summary: 'Delete a block document',
    description: 'Deletes the document. Objects that refer to it fail when they are used. 404 when there is none.',
    handler: ({ context, path }) => deleteBlockDocument(context, path.id),
  }),
  patch('/block_documents/{id}', 'update_block_document_data_block_documents__id__patch', {
    summary: 'Update a block document',
    description:
      'Replaces the values; with `merge_existing_data`, changes only the given ones. 404 when there is none.',
    body: BlockDocumentUpdate,
    secretBody: true,
    handler: ({ context, path, body }) => updateBlockDocument(context, path.id, body),
  }),
];
