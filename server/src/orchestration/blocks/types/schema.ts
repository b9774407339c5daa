import { givenFieldsOnly, Maybe, Parts, refine, Shape, type Static, Type, withDefault } from '../../../schema/kinds.ts';
import { Name, stamps } from '../../filters/field-schema.ts';
import { limit, offset } from '../../filters/filter-schema.ts';
import { BlockSchemaFilter, BlockTypeFilter } from '../block-filters.ts';

const Slug = refine(Type.String(), (slug) =>
  /^[a-z0-9-]*$/.test(slug) ? undefined : 'Block type slug must only contain lowercase letters, numbers, and dashes.',
);

const texts = {
  logo_url: Maybe(Type.String()),
  documentation_url: Maybe(Type.String()),
  description: Maybe(Type.String()),
  code_example: Maybe(Type.String()),
};

export const BlockType = Shape(
  'BlockType',
  { ...stamps, name: Name, slug: Type.String(), ...texts, is_protected: withDefault(Type.Boolean(), false) },
  'ignore',
);
export type BlockType = Static<typeof BlockType>;

export const BlockTypeCreate = Shape('BlockTypeCreate', { name: Name, slug: Slug, ...texts });
export type BlockTypeCreate = Static<typeof BlockTypeCreate>;

export const BlockTypeUpdate = givenFieldsOnly(Shape('BlockTypeUpdate', texts));
export type BlockTypeUpdate = Static<typeof BlockTypeUpdate>;

/** Bodies by the last segment of their route. */
export const blockTypeBodies = {
  filter: Parts(
    { block_types: Maybe(BlockTypeFilter), block_schemas: Maybe(BlockSchemaFilter), offset, limit },
    'Body_read_block_types_block_types_filter_post',
  ),
};
