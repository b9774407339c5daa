/** Queries of other resources about deployments that they name. */
import { statement } from '../../database/statement.ts';
import type { Db } from '../../database/store.ts';
import type { JsonText } from '../../json.ts';

const jobVariablesById = statement<{ id: string }, { job_variables: JsonText; base_job_template: JsonText | null }>(
  (query, given) =>
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

/** A deployment's job variables and the template of its pool, null without a pool. Undefined without a deployment. */
export function findDeployedJobVariables(
  db: Db,
  id: string,
): Promise<{ readonly job_variables: JsonText; readonly base_job_template: JsonText | null } | undefined> {
  return db.first(jobVariablesById, { id });
}
