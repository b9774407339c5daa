import { Maybe, Shape, type Static } from '../../../schema/kinds.ts';
import { ids, operator, texts } from '../../filters/filter-schema.ts';

export const BlockSchemaFilter = Shape('BlockSchemaFilter', {
  operator,
  block_type_id: Maybe(Shape('BlockSchemaFilterBlockTypeId', { any_: ids })),
  block_capabilities: Maybe(Shape('BlockSchemaFilterCapabilities', { all_: texts })),
  id: Maybe(Shape('BlockSchemaFilterId', { any_: ids })),
  version: Maybe(Shape('BlockSchemaFilterVersion', { any_: texts })),
});
export type BlockSchemaFilter = Static<typeof BlockSchemaFilter>;
