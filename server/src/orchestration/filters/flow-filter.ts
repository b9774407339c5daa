import { Maybe, Shape, type Static } from '../../schema/kinds.ts';
import { flag, ids, operator, text, texts } from './filter-schema.ts';

export const FlowFilter = Shape('FlowFilter', {
  operator,
  id: Maybe(Shape('FlowFilterId', { any_: ids, not_any_: ids })),
  deployment: Maybe(Shape('FlowFilterDeployment', { operator, is_null_: flag })),
  name: Maybe(Shape('FlowFilterName', { any_: texts, like_: text })),
  tags: Maybe(Shape('FlowFilterTags', { operator, all_: texts, is_null_: flag })),
});
export type FlowFilter = Static<typeof FlowFilter>;
