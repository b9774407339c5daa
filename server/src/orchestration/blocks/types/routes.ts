import { created, noContent, ok, type Route, route } from '../../../http/route.ts';
import { Json, Type } from '../../../schema/kinds.ts';
import { limit, offset } from '../../filters/filter-schema.ts';
import { pageLimit } from '../../filters/pagination.ts';
import { installSystemBlockTypes } from './block-collection.ts';
import { createBlockType, deleteBlockType, missingBlockType, updateBlockType } from './operations.ts';
import { findBlockType, findBlockTypeBySlug, listBlockTypes } from './queries.ts';
import { BlockType, BlockTypeCreate, BlockTypeUpdate, blockTypeBodies } from './schema.ts';

const tags = ['Block types'];

export const blockTypeRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/block_types/',
    operationId: 'create_block_type_block_types__post',
    summary: 'Create a block type',
    description: 'Registers a kind of block under its slug. 409 when the slug is taken.',
    tags,
    permission: 'blocks:write',
    body: BlockTypeCreate,
    responses: { 201: BlockType },
    async handler({ context, body }) {
      return created(await createBlockType(context, body));
    },
  }),
  route({
    method: 'GET',
    path: '/block_types/',
    operationId: 'list_block_types_block_types__get',
    summary: 'List block types',
    description: 'One page of block types, by name.',
    tags,
    permission: 'blocks:read',
    query: Type.Object({ offset, limit }),
    responses: { 200: Type.Array(BlockType) },
    async handler({ context, query }) {
      const page = { offset: query.offset, limit: pageLimit(context, query.limit) };
      return ok(await listBlockTypes(context.answerDb, {}, page));
    },
  }),
  route({
    method: 'POST',
    path: '/block_types/filter',
    operationId: 'read_block_types_block_types_filter_post',
    summary: 'List block types that match filters',
    description: 'One page of the block types whose name or capabilities match, by name.',
    tags,
    permission: 'blocks:read',
    body: blockTypeBodies.filter,
    responses: { 200: Type.Array(BlockType) },
    async handler({ context, body }) {
      const page = { offset: body.offset, limit: pageLimit(context, body.limit) };
      return ok(await listBlockTypes(context.answerDb, body, page));
    },
  }),
  route({
    method: 'POST',
    path: '/block_types/install_system_block_types',
    operationId: 'install_system_block_types_block_types_install_system_block_types_post',
    summary: 'Install the built-in block types',
    description: 'Adds the block types that clients rely on where they are missing. Doing it again changes nothing.',
    tags,
    permission: 'blocks:write',
    responses: { 200: Json() },
    async handler({ context }) {
      await installSystemBlockTypes(context);
      return ok('null');
    },
  }),
  route({
    method: 'GET',
    path: '/block_types/{id}',
    operationId: 'read_block_type_by_id_block_types__id__get',
    summary: 'Read a block type',
    description: 'One block type by id. 404 when there is none.',
    tags,
    permission: 'blocks:read',
    parameters: { id: 'uuid' },
    responses: { 200: BlockType },
    async handler({ context, path }) {
      return ok((await findBlockType(context.db, path.id)) ?? missing());
    },
  }),
  route({
    method: 'PATCH',
    path: '/block_types/{id}',
    operationId: 'update_block_type_block_types__id__patch',
    summary: 'Update a block type',
    description: 'Changes the texts and addresses of a block type. 404 when there is none.',
    tags,
    permission: 'blocks:write',
    parameters: { id: 'uuid' },
    body: BlockTypeUpdate,
    responses: { 204: null },
    async handler({ context, path, body }) {
      await updateBlockType(context, path.id, body);
      return noContent;
    },
  }),
  route({
    method: 'DELETE',
    path: '/block_types/{id}',
    operationId: 'delete_block_type_block_types__id__delete',
    summary: 'Delete a block type',
    description: 'Deletes the type with its schemas and documents. 403 for a protected one, 404 when there is none.',
    tags,
    permission: 'blocks:write',
    parameters: { id: 'uuid' },
    responses: { 204: null },
    async handler({ context, path }) {
      await deleteBlockType(context, path.id);
      return noContent;
    },
  }),
  route({
    method: 'GET',
    path: '/block_types/slug/{slug}',
    operationId: 'read_block_type_by_slug_block_types_slug__slug__get',
    summary: 'Read a block type by slug',
    description: 'One block type by its slug. 404 when there is none.',
    tags,
    permission: 'blocks:read',
    parameters: { slug: 'text' },
    responses: { 200: BlockType },
    async handler({ context, path }) {
      return ok((await findBlockTypeBySlug(context.db, path.slug)) ?? missing());
    },
  }),
];

function missing(): never {
  throw missingBlockType();
}
