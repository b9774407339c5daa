/** Finds the objects that runs refer to by the names that people type. */
import { sql } from 'kysely';
import { type Condition, or } from '../../../database/dialect/dialect.ts';
import type { Db } from '../../../database/store.ts';

export function flowIds(db: Db, names: readonly string[]): Promise<readonly string[]> {
  return idsOf(
    db,
    sql<{ id: string }>`select flow.id from flow where flow."workspace" = ${db.workspace}
      and ${db.dialect.oneOf(sql`flow.name`, names, 'text')}`,
  );
}

/** Deployments by their name, or by `flow/deployment`. */
export function deploymentIds(db: Db, names: readonly string[]): Promise<readonly string[]> {
  return idsOf(
    db,
    sql<{ id: string }>`select deployment.id from deployment
      join flow on flow.workspace = deployment.workspace and flow.id = deployment.flow_id
      where deployment."workspace" = ${db.workspace}
        and ${namedOrWithin(db, { within: 'flow', table: 'deployment' }, names)}`,
  );
}

/** The queues of work pools. */
export function queueIdsOfPools(db: Db, names: readonly string[]): Promise<readonly string[]> {
  return idsOf(
    db,
    sql<{ id: string }>`select work_queue.id from work_pool
      join work_queue on work_queue.workspace = work_pool.workspace and work_queue.work_pool_id = work_pool.id
      where work_pool."workspace" = ${db.workspace} and ${db.dialect.oneOf(sql`work_pool.name`, names, 'text')}`,
  );
}

/** Queues by their name, or by `pool/queue`. */
export function queueIds(db: Db, names: readonly string[]): Promise<readonly string[]> {
  return idsOf(
    db,
    sql<{ id: string }>`select work_queue.id from work_queue
      join work_pool on work_pool.workspace = work_queue.workspace and work_pool.id = work_queue.work_pool_id
      where work_queue."workspace" = ${db.workspace}
        and ${namedOrWithin(db, { within: 'work_pool', table: 'work_queue' }, names)}`,
  );
}

/** Runs that an index finds by their ids; more are found by a condition on each run. */
const MOST_RUNS = 1000;

/** The runs that have failed of the causes with these ids; undefined if they are many. */
export async function idsOfRunsWithCause(db: Db, causes: readonly string[]): Promise<readonly string[] | undefined> {
  const ids = await idsOf(
    db,
    sql<{ id: string }>`select distinct flow_run_id as id from failure where failure."workspace" = ${db.workspace}
      and failure.part_of is null and ${db.dialect.oneOf(sql`failure.cause_id`, causes, 'uuid')}
      limit ${MOST_RUNS + 1}`,
  );
  return ids.length > MOST_RUNS ? undefined : ids;
}

type Named = { readonly within: 'flow' | 'work_pool'; readonly table: 'deployment' | 'work_queue' };

/** No name contains a slash. */
function namedOrWithin({ dialect }: Db, { within, table }: Named, names: readonly string[]): Condition {
  const name = sql.ref(`${table}.name`);
  const pairs = names
    .filter((one) => one.includes('/'))
    .map((one): [string, string] => [one.slice(0, one.indexOf('/')), one.slice(one.indexOf('/') + 1)]);
  const own = dialect.oneOf(name, names, 'text');
  return pairs.length === 0 ? own : or([own, dialect.arePairOf(sql.ref(`${within}.name`), name, pairs)]);
}

async function idsOf(db: Db, query: ReturnType<typeof sql<{ id: string }>>): Promise<readonly string[]> {
  return (await db.query(query, { recurs: true })).map(({ id }) => id);
}
