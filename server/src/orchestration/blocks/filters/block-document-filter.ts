import { Maybe, Shape, type Static, withDefault } from '../../../schema/kinds.ts';
import { flag, ids, operator, text, texts } from '../../filters/filter-schema.ts';

export const BlockDocumentFilter = Shape('BlockDocumentFilter', {
  operator,
  id: Maybe(Shape('BlockDocumentFilterId', { any_: ids })),
  /** Left out means the documents with a name of their own, null means all. */
  is_anonymous: withDefault(Maybe(Shape('BlockDocumentFilterIsAnonymous', { eq_: flag })), { eq_: false }),
  block_type_id: Maybe(Shape('BlockDocumentFilterBlockTypeId', { any_: ids })),
  name: Maybe(Shape('BlockDocumentFilterName', { any_: texts, like_: text })),
});
export type BlockDocumentFilter = Static<typeof BlockDocumentFilter>;
