import type { Context } from '../../../context.ts';
import { created, noContent, ok, type Route, route } from '../../../http/route.ts';
import { parseJson } from '../../../json.ts';
import { Type } from '../../../schema/kinds.ts';
import { limit, offset } from '../../filters/filter-schema.ts';
import { pageLimit } from '../../filters/pagination.ts';
import { createBlockSchema, deleteBlockSchema, missingBlockSchema } from './operations.ts';
import {
  type BlockSchemaRow,
  findBlockSchema,
  findBlockSchemaByChecksum,
  listBlockSchemas,
  listCapabilitySets,
} from './queries.ts';
import { readBlockSchema, readBlockSchemas } from './read.ts';
import { BlockSchema, BlockSchemaCreate, blockSchemaBodies, checksumQuery } from './schema.ts';

const tags = ['Block schemas'];

export const blockSchemaRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/block_schemas/',
    operationId: 'create_block_schema_block_schemas__post',
    summary: 'Register a block schema',
    description:
      'Registers the fields of a block type. 200 with the existing schema when one with the same checksum is there, else 201.',
    tags,
    permission: 'blocks:write',
    body: BlockSchemaCreate,
    responses: { 201: BlockSchema },
    async handler({ context, body }) {
      const { schema, isNew } = await createBlockSchema(context, body);
      return isNew ? created(schema) : ok(schema);
    },
  }),
  route({
    method: 'GET',
    path: '/block_schemas/',
    operationId: 'list_block_schemas_block_schemas__get',
    summary: 'List block schemas',
    description: 'One page of block schemas, latest first. 422 when they have more than 16 MB: request fewer.',
    tags,
    permission: 'blocks:read',
    query: Type.Object({ offset, limit }),
    responses: { 200: Type.Array(BlockSchema) },
    async handler({ context, query }) {
      const page = { offset: query.offset, limit: pageLimit(context, query.limit) };
      return ok(await readBlockSchemas(context.db, await listBlockSchemas(context.db, null, page)));
    },
  }),
  route({
    method: 'POST',
    path: '/block_schemas/filter',
    operationId: 'read_block_schemas_block_schemas_filter_post',
    summary: 'List block schemas that match filters',
    description:
      'One page of the block schemas that match the filter, latest first. 422 when they have more than 16 MB: request fewer.',
    tags,
    permission: 'blocks:read',
    body: blockSchemaBodies.filter,
    responses: { 200: Type.Array(BlockSchema) },
    async handler({ context, body }) {
      const page = { offset: body.offset, limit: pageLimit(context, body.limit) };
      return ok(await readBlockSchemas(context.db, await listBlockSchemas(context.db, body.block_schemas, page)));
    },
  }),
  route({
    method: 'GET',
    path: '/block_schemas/{id}',
    operationId: 'read_block_schema_by_id_block_schemas__id__get',
    summary: 'Read a block schema',
    description: 'One schema by id. 404 when there is none.',
    tags,
    permission: 'blocks:read',
    parameters: { id: 'uuid' },
    responses: { 200: BlockSchema },
    handler: async ({ context, path }) => answer(context, await findBlockSchema(context.db, path.id)),
  }),
  route({
    method: 'DELETE',
    path: '/block_schemas/{id}',
    operationId: 'delete_block_schema_block_schemas__id__delete',
    summary: 'Delete a block schema',
    description:
      'Deletes the schema with the documents written in it. 403 for one of a protected type, 404 when there is none.',
    tags,
    permission: 'blocks:write',
    parameters: { id: 'uuid' },
    responses: { 204: null },
    async handler({ context, path }) {
      await deleteBlockSchema(context, path.id);
      return noContent;
    },
  }),
  route({
    method: 'GET',
    path: '/block_schemas/checksum/{checksum}',
    operationId: 'read_block_schema_by_checksum_block_schemas_checksum__checksum__get',
    summary: 'Read a block schema by checksum',
    description: 'The schema whose fields have this checksum, in a version where one is named. 404 when there is none.',
    tags,
    permission: 'blocks:read',
    parameters: { checksum: 'text' },
    query: checksumQuery,
    responses: { 200: BlockSchema },
    handler: async ({ context, path, query }) =>
      answer(context, await findBlockSchemaByChecksum(context.db, path.checksum, query.version)),
  }),
  route({
    method: 'GET',
    path: '/block_capabilities/',
    operationId: 'read_available_block_capabilities_block_capabilities__get',
    summary: 'List the capabilities of blocks',
    description: 'Every capability that a block schema names, such as `storage` or `notify`.',
    tags: ['Block capabilities'],
    permission: 'blocks:read',
    responses: { 200: Type.Array(Type.String()) },
    async handler({ context }) {
      const sets = await listCapabilitySets(context.db);
      return ok([...new Set(sets.flatMap((set) => parseJson(set) as string[]))].sort());
    },
  }),
];

async function answer(context: Context, schema: BlockSchemaRow | undefined) {
  if (!schema) throw missingBlockSchema();
  return ok(await readBlockSchema(context.db, schema));
}
