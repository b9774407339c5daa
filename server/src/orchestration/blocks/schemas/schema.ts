import {
  JsonObject,
  Maybe,
  Nullable,
  Parts,
  Shape,
  type Static,
  Type,
  Uuid,
  withDefault,
} from '../../../schema/kinds.ts';
import { stamps } from '../../filters/field-schema.ts';
import { limit, offset } from '../../filters/filter-schema.ts';
import { BlockSchemaFilter } from '../block-filters.ts';
import { BlockType } from '../types/schema.ts';

const version = withDefault(Type.String(), 'non-versioned');

export const BlockSchema = Shape(
  'BlockSchema',
  {
    ...stamps,
    checksum: Type.String(),
    fields: Type.Optional(JsonObject()),
    block_type_id: Nullable(Uuid()),
    block_type: Maybe(BlockType),
    capabilities: Type.Optional(Type.Array(Type.String())),
    version,
  },
  'ignore',
);
export type BlockSchema = Static<typeof BlockSchema>;

export const BlockSchemaCreate = Shape('BlockSchemaCreate', {
  fields: Type.Optional(JsonObject()),
  block_type_id: Uuid(),
  capabilities: Type.Optional(Type.Array(Type.String())),
  version,
});
export type BlockSchemaCreate = Static<typeof BlockSchemaCreate>;

/** A checksum may be stored under several versions; without a version, the latest is used. */
export const checksumQuery = Type.Object({ version: Maybe(Type.String()) });

/** Bodies by the last segment of their route. */
export const blockSchemaBodies = {
  filter: Parts(
    { block_schemas: Maybe(BlockSchemaFilter), offset, limit },
    'Body_read_block_schemas_block_schemas_filter_post',
  ),
};
