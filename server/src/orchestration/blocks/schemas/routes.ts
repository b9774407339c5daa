import type { Context } from '../../../context/context.ts';
import { found } from '../../../errors.ts';
import { created, ok, type Route } from '../../../http/routes/route.ts';
import { routesOf } from '../../../http/routes/routes-of.ts';
import { Type } from '../../../schema/kinds.ts';
import { parseJson } from '../../../values/json.ts';
import { limit, offset } from '../../filters/filter-schema.ts';
import { partOf } from '../../filters/pagination.ts';
import { createBlockSchema, deleteBlockSchema, MISSING } from './operations.ts';
import {
  type BlockSchemaRow,
  blockSchemas,
  findBlockSchemaByChecksum,
  listBlockSchemas,
  listCapabilitySets,
} from './queries.ts';
import { readBlockSchema, readBlockSchemas } from './read.ts';
import { BlockSchema, BlockSchemaCreate, blockSchemaBodies, checksumQuery } from './schema.ts';

const { get, search, post, remove } = routesOf('Block schemas', 'blocks');

export const blockSchemaRoutes: readonly Route[] = [
  post('/block_schemas/', 'create_block_schema_block_schemas__post', {
    summary: 'Register a block schema',
    description:
      'Registers the fields of a block type. 200 with the existing schema if one has the same checksum, else 201.',
    body: BlockSchemaCreate,
    responses: { 201: BlockSchema },
    async handler({ context, body }) {
      const { schema, isNew } = await createBlockSchema(context, body);
      return isNew ? created(schema) : ok(schema);
    },
  }),
  get('/block_schemas/', 'list_block_schemas_block_schemas__get', {
    summary: 'List block schemas',
    description: 'One page of block schemas, latest first. 422 when they have more than 16 MB: request fewer.',
    query: Type.Object({ offset, limit }),
    answers: Type.Array(BlockSchema),
    handler: async ({ context, query }) => {
      const page = partOf(context, query);
      return readBlockSchemas(context.db, await listBlockSchemas(context.db, null, page));
    },
  }),
  search('/block_schemas/filter', 'read_block_schemas_block_schemas_filter_post', {
    summary: 'List block schemas that match filters',
    description:
      'One page of the block schemas that match the filter, latest first. 422 when they have more than 16 MB: request fewer.',
    body: blockSchemaBodies.filter,
    answers: Type.Array(BlockSchema),
    handler: async ({ context, body }) => {
      const page = partOf(context, body);
      return readBlockSchemas(context.db, await listBlockSchemas(context.db, body.block_schemas, page));
    },
  }),
  get('/block_schemas/{id}', 'read_block_schema_by_id_block_schemas__id__get', {
    summary: 'Read a block schema',
    description: 'One schema by id. 404 when there is none.',
    responses: { 200: BlockSchema },
    handler: async ({ context, path }) => answer(context, await blockSchemas.first(context.db, path)),
  }),
  remove('/block_schemas/{id}', 'delete_block_schema_block_schemas__id__delete', {
    summary: 'Delete a block schema',
    description: 'Deletes the schema with its documents. 403 for one of a protected type, 404 when there is none.',
    handler: ({ context, path }) => deleteBlockSchema(context, path.id),
  }),
  get('/block_schemas/checksum/{checksum}', 'read_block_schema_by_checksum_block_schemas_checksum__checksum__get', {
    summary: 'Read a block schema by checksum',
    description: 'The schema whose fields have this checksum; `version` selects a version. 404 when there is none.',
    query: checksumQuery,
    responses: { 200: BlockSchema },
    handler: async ({ context, path, query }) =>
      answer(context, await findBlockSchemaByChecksum(context.db, path.checksum, query.version)),
  }),
  get('/block_capabilities/', 'read_available_block_capabilities_block_capabilities__get', {
    summary: 'List the capabilities of blocks',
    description: 'Every capability of the block schemas, such as `storage` or `notify`.',
    tags: ['Block capabilities'],
    answers: Type.Array(Type.String()),
    handler: async ({ context }) => {
      const sets = await listCapabilitySets(context.db);
      return [...new Set(sets.flatMap((set) => parseJson(set) as string[]))].sort();
    },
  }),
];

async function answer(context: Context, schema: BlockSchemaRow | undefined) {
  return ok(await readBlockSchema(context.db, found(schema, MISSING)));
}
