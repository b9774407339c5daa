import { Maybe, Shape, type Static } from '../../schema/kinds.ts';
import { ids, operator, texts } from '../filter-schema.ts';

export const WorkPoolFilter = Shape('WorkPoolFilter', {
  operator,
  id: Maybe(Shape('WorkPoolFilterId', { any_: ids })),
  name: Maybe(Shape('WorkPoolFilterName', { any_: texts })),
  type: Maybe(Shape('WorkPoolFilterType', { any_: texts })),
});
export type WorkPoolFilter = Static<typeof WorkPoolFilter>;

export const WorkQueueFilter = Shape('WorkQueueFilter', {
  operator,
  id: Maybe(Shape('WorkQueueFilterId', { any_: ids })),
  name: Maybe(Shape('WorkQueueFilterName', { any_: texts, startswith_: texts })),
});
export type WorkQueueFilter = Static<typeof WorkQueueFilter>;
