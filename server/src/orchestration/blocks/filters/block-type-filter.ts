import { Maybe, Shape, type Static } from '../../../schema/kinds.ts';
import { text, texts } from '../../filters/filter-schema.ts';

export const BlockTypeFilter = Shape('BlockTypeFilter', {
  name: Maybe(Shape('BlockTypeFilterName', { like_: text })),
  slug: Maybe(Shape('BlockTypeFilterSlug', { any_: texts })),
});
export type BlockTypeFilter = Static<typeof BlockTypeFilter>;
