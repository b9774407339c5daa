import { sql } from 'kysely';
import { combine, type FilterFields } from '../../database/lists/filters.ts';
import { Maybe, Nullable, Shape, type Static, Type } from '../../schema/kinds.ts';
import { deprecated } from './field-schema.ts';
import { flag, ids, integer, operator, text, texts } from './filter-schema.ts';

/** Accepted without effect. Source: `POST /deployments/filter` of the Prefect server 3.9.1. */
const DeploymentFilterConcurrencyLimit = Shape('DeploymentFilterConcurrencyLimit', {
  ge_: integer,
  le_: integer,
  is_null_: flag,
});

export const DeploymentFilter = Shape('DeploymentFilter', {
  operator,
  id: Maybe(Shape('DeploymentFilterId', { any_: ids, not_any_: ids })),
  name: Maybe(Shape('DeploymentFilterName', { any_: texts, like_: text })),
  flow_or_deployment_name: Maybe(Shape('DeploymentOrFlowNameFilter', { like_: text })),
  paused: Maybe(Shape('DeploymentFilterPaused', { eq_: flag })),
  tags: Maybe(Shape('DeploymentFilterTags', { operator, all_: texts, any_: texts, is_null_: flag })),
  work_queue_name: Maybe(Shape('DeploymentFilterWorkQueueName', { any_: texts })),
  concurrency_limit: Type.Optional(deprecated(Nullable(DeploymentFilterConcurrencyLimit))),
});
export type DeploymentFilter = Static<typeof DeploymentFilter>;

/** Filterable fields of a deployment. `concurrency_limit` has no entry: it is accepted without effect. */
export const deploymentFields: FilterFields = {
  id: { kind: 'id', column: sql`deployment.id` },
  name: { kind: 'text', column: sql`deployment.name` },
  flow_or_deployment_name: ({ like_ }, dialect) => {
    if (typeof like_ !== 'string' || like_ === '') return combine([], 'and_');
    const ofFlow = sql<boolean>`exists (select 1 from flow where flow.workspace = deployment.workspace
      and flow.id = deployment.flow_id and ${dialect.contains(sql`flow.name`, like_)})`;
    return combine([dialect.contains(sql`deployment.name`, like_), ofFlow], 'or_');
  },
  paused: { kind: 'boolean', column: sql`deployment.paused` },
  tags: { kind: 'tags', column: sql`deployment.tags` },
  work_queue_name: { kind: 'text', column: sql`deployment.work_queue_name` },
};
