/**
 * Older queues select their deployments by a filter. Source: `GET /deployments/{id}/work_queue_check` (deprecated) of
 * the Prefect server 3.9.1, with which server/test/reference compares.
 */
import type { Db } from '../../database/store.ts';
import type { Row } from '../../database/tables/tables.ts';
import { found } from '../../errors.ts';
import { parseJson, parseObject } from '../../values/json.ts';
import { allWorkQueues } from '../lookups/work-pools.ts';
import { MISSING } from './operations.ts';
import { type Deployment, findDeployment } from './queries.ts';

/** The queues whose filter matches the deployment, oldest first. Throws NotFound. */
export async function listQueuesFor(db: Db, deploymentId: string): Promise<Row<'work_queue'>[]> {
  const deployment = found(await findDeployment(db, deploymentId), MISSING);
  const queues = await db.all(allWorkQueues);
  return queues.filter(({ filter }) => filter === null || letsThrough(parseObject(filter), deployment));
}

/**
 * The deployment must have all tags of the filter, and be in its list of deployments; an empty condition always holds.
 */
function letsThrough(filter: Readonly<Record<string, unknown>>, { id, tags }: Deployment): boolean {
  const wanted = (filter['tags'] ?? []) as string[];
  const among = (filter['deployment_ids'] ?? []) as string[];
  const own = new Set(parseJson(tags) as string[]);
  return wanted.every((tag) => own.has(tag)) && (among.length === 0 || among.includes(id));
}
