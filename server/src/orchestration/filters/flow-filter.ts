import { sql } from 'kysely';
import { combine, type FilterFields } from '../../database/lists/filters.ts';
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

/** Filterable fields of a flow. To add one to the API, add it here and to `FlowFilter`. */
export const flowFields: FilterFields = {
  id: { kind: 'id', column: sql`flow.id` },
  name: { kind: 'text', column: sql`flow.name` },
  tags: { kind: 'tags', column: sql`flow.tags` },
  /** Flows with or without any deployment. */
  deployment: (criteria) => {
    const exists = sql<boolean>`exists (select 1 from deployment where deployment.workspace = flow.workspace and deployment.flow_id = flow.id)`;
    const wanted = criteria['is_null_'];
    if (wanted === null || wanted === undefined) return combine([], 'and_');
    return wanted ? sql<boolean>`not ${exists}` : exists;
  },
};
