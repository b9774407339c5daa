import { found } from '../../../errors.ts';
import type { Route } from '../../../http/routes/route.ts';
import { routesOf } from '../../../http/routes/routes-of.ts';
import { Json, Type } from '../../../schema/kinds.ts';
import { limit, offset } from '../../filters/filter-schema.ts';
import { partOf } from '../../filters/pagination.ts';
import { installSystemBlockTypes } from './block-collection.ts';
import { createBlockType, deleteBlockType, MISSING, updateBlockType } from './operations.ts';
import { blockTypes, listBlockTypes } from './queries.ts';
import { BlockType, BlockTypeCreate, BlockTypeUpdate, blockTypeBodies } from './schema.ts';

const { get, search, post, patch, remove } = routesOf('Block types', 'blocks');

export const blockTypeRoutes: readonly Route[] = [
  post('/block_types/', 'create_block_type_block_types__post', {
    summary: 'Create a block type',
    description: 'Registers a type of block under its slug. 409 when the slug is taken.',
    body: BlockTypeCreate,
    answers: [201, BlockType],
    handler: ({ context, body }) => createBlockType(context, body),
  }),
  get('/block_types/', 'list_block_types_block_types__get', {
    summary: 'List block types',
    description: 'One page of block types, by name.',
    query: Type.Object({ offset, limit }),
    answers: Type.Array(BlockType),
    handler: ({ context, query }) => listBlockTypes(context.answerDb, {}, partOf(context, query)),
  }),
  search('/block_types/filter', 'read_block_types_block_types_filter_post', {
    summary: 'List block types that match filters',
    description: 'One page of the block types whose name or capabilities match, by name.',
    body: blockTypeBodies.filter,
    answers: Type.Array(BlockType),
    handler: ({ context, body }) => listBlockTypes(context.answerDb, body, partOf(context, body)),
  }),
  post(
    '/block_types/install_system_block_types',
    'install_system_block_types_block_types_install_system_block_types_post',
    {
      summary: 'Install the built-in block types',
      description: 'Adds the missing ones of the block types that clients rely on. Repeating it changes nothing.',
      answers: Json(),
      handler: async ({ context }) => {
        await installSystemBlockTypes(context);
        return 'null';
      },
    },
  ),
  get('/block_types/{id}', 'read_block_type_by_id_block_types__id__get', {
    summary: 'Read a block type',
    description: 'One block type by id. 404 when there is none.',
    answers: BlockType,
    handler: async ({ context, path }) => found(await blockTypes.first(context.db, path), MISSING),
  }),
  patch('/block_types/{id}', 'update_block_type_block_types__id__patch', {
    summary: 'Update a block type',
    description: 'Changes the texts and addresses of a block type. 404 when there is none.',
    body: BlockTypeUpdate,
    handler: ({ context, path, body }) => updateBlockType(context, path.id, body),
  }),
  remove('/block_types/{id}', 'delete_block_type_block_types__id__delete', {
    summary: 'Delete a block type',
    description: 'Deletes the type with its schemas and documents. 403 for a protected one, 404 when there is none.',
    handler: ({ context, path }) => deleteBlockType(context, path.id),
  }),
  get('/block_types/slug/{slug}', 'read_block_type_by_slug_block_types_slug__slug__get', {
    summary: 'Read a block type by slug',
    description: 'One block type by its slug. 404 when there is none.',
    answers: BlockType,
    handler: async ({ context, path }) => found(await blockTypes.first(context.db, path), MISSING),
  }),
];
