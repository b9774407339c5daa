/** Queries that other resources use for the deployments to which they refer. */
import { rows } from '../../database/rows.ts';
import { statement } from '../../database/statement.ts';
import type { JsonText } from '../../values/json.ts';

export const deployments = rows('deployment');

/** A deployment's job variables and the template of its pool, null without a pool. */
export const deployedJobVariables = statement<
  { id: string },
  { job_variables: JsonText; base_job_template: JsonText | null }
>((query, given) =>
  query
    .selectFrom('deployment')
    .leftJoin('work_queue', (join) =>
      join
        .onRef('work_queue.workspace', '=', 'deployment.workspace')
        .onRef('work_queue.id', '=', 'deployment.work_queue_id'),
    )
    .leftJoin('work_pool', (join) =>
      join
        .onRef('work_pool.workspace', '=', 'work_queue.workspace')
        .onRef('work_pool.id', '=', 'work_queue.work_pool_id'),
    )
    .select(['deployment.job_variables', 'work_pool.base_job_template'])
    .where('deployment.workspace', '=', given.workspace)
    .where('deployment.id', '=', given.id),
);
