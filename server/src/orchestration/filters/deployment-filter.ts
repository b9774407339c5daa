import { Maybe, Nullable, Shape, type Static, Type } from '../../schema/kinds.ts';
import { deprecated } from './field-schema.ts';
import { flag, ids, integer, operator, text, texts } from './filter-schema.ts';

/** Accepted and without effect. Source: reference behaviour, filters. */
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
