import { sql } from 'kysely';
import { combine, type FilterFields } from '../../database/filters.ts';

/** Filterable fields of a deployment. `concurrency_limit` is accepted and asks nothing, as in the reference. */
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
