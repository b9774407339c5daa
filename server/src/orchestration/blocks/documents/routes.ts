import { created, noContent, ok, type Route, route } from '../../../http/route.ts';
import { Type } from '../../../schema/kinds.ts';
import { listQuery, pageLimit } from '../../filters/pagination.ts';
import { createBlockDocument, deleteBlockDocument, missingBlockDocument, updateBlockDocument } from './operations.ts';
import { countBlockDocuments, findBlockDocument, listBlockDocuments } from './queries.ts';
import { readBlockDocuments, readForCaller } from './read.ts';
import {
  BlockDocument,
  BlockDocumentCreate,
  BlockDocumentSort,
  BlockDocumentUpdate,
  blockDocumentBodies,
  secretsQuery,
} from './schema.ts';

const tags = ['Block documents'];

export const blockDocumentRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/block_documents/',
    operationId: 'create_block_document_block_documents__post',
    summary: 'Create a block document',
    description:
      'Keeps the values of a block; fields that its schema calls secret are encrypted. 409 when the type has a document of that name.',
    tags,
    permission: 'blocks:write',
    body: BlockDocumentCreate,
    secretBody: true,
    responses: { 201: BlockDocument },
    async handler({ context, body }) {
      return created(await createBlockDocument(context, body));
    },
  }),
  route({
    method: 'GET',
    path: '/block_documents/',
    operationId: 'list_block_documents_block_documents__get',
    summary: 'List block documents',
    description: 'One page of documents with names, secrets masked. 422 when they have more than 16 MB: request fewer.',
    tags,
    permission: 'blocks:read',
    query: listQuery(BlockDocumentSort, 'NAME_ASC'),
    responses: { 200: Type.Array(BlockDocument) },
    async handler({ context, query }) {
      const { sort, offset, limit } = query;
      const page = { sort, offset, limit: pageLimit(context, limit) };
      return ok(await readBlockDocuments(context, context.db, await listBlockDocuments(context.db, {}, page), false));
    },
  }),
  route({
    method: 'POST',
    path: '/block_documents/filter',
    operationId: 'read_block_documents_block_documents_filter_post',
    summary: 'List block documents that match filters',
    description:
      'One page of the documents that match all the filters. Secrets are masked unless `include_secrets` is true and the caller may read them. 422 when they have more than 16 MB: request fewer.',
    tags,
    permission: 'blocks:read',
    body: blockDocumentBodies.filter,
    responses: { 200: Type.Array(BlockDocument) },
    async handler({ context, body }) {
      const { sort, offset, limit, include_secrets, ...filters } = body;
      const page = { sort: sort ?? 'NAME_ASC', offset, limit: pageLimit(context, limit) };
      const rows = await listBlockDocuments(context.db, filters, page);
      return ok(await readForCaller(context, rows, include_secrets));
    },
  }),
  route({
    method: 'POST',
    path: '/block_documents/count',
    operationId: 'count_block_documents_block_documents_count_post',
    summary: 'Count block documents',
    description: 'The number of documents that match all the filters.',
    tags,
    permission: 'blocks:read',
    body: blockDocumentBodies.count,
    responses: { 200: Type.Integer() },
    async handler({ context, body }) {
      return ok(await countBlockDocuments(context.db, body));
    },
  }),
  route({
    method: 'GET',
    path: '/block_documents/{id}',
    operationId: 'read_block_document_by_id_block_documents__id__get',
    summary: 'Read a block document',
    description:
      'One document by id. Secrets are masked unless `include_secrets` is true and the caller may read them. 404 when there is none.',
    tags,
    permission: 'blocks:read',
    parameters: { id: 'uuid' },
    query: secretsQuery,
    responses: { 200: BlockDocument },
    async handler({ context, path, query }) {
      const row = await findBlockDocument(context.db, path.id);
      if (!row) throw missingBlockDocument();
      const [document] = await readForCaller(context, [row], query.include_secrets);
      return ok(document);
    },
  }),
  route({
    method: 'DELETE',
    path: '/block_documents/{id}',
    operationId: 'delete_block_document_block_documents__id__delete',
    summary: 'Delete a block document',
    description: 'Deletes the document. Anything that refers to it fails when it is used. 404 when there is none.',
    tags,
    permission: 'blocks:write',
    parameters: { id: 'uuid' },
    responses: { 204: null },
    async handler({ context, path }) {
      await deleteBlockDocument(context, path.id);
      return noContent;
    },
  }),
  route({
    method: 'PATCH',
    path: '/block_documents/{id}',
    operationId: 'update_block_document_data_block_documents__id__patch',
    summary: 'Update a block document',
    description:
      'Replaces the values, or with `merge_existing_data` changes those that are given. 404 when there is none.',
    tags,
    permission: 'blocks:write',
    parameters: { id: 'uuid' },
    body: BlockDocumentUpdate,
    secretBody: true,
    responses: { 204: null },
    async handler({ context, path, body }) {
      await updateBlockDocument(context, path.id, body);
      return noContent;
    },
  }),
];
