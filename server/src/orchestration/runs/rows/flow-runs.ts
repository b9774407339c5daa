import { sql } from 'kysely';
import { listedColumns } from '../../../database/lists/large-values.ts';
import { rows } from '../../../database/rows.ts';
import { rowOf, statement } from '../../../database/statement.ts';
import type { Db, Tx } from '../../../database/store.ts';
import type { NewRow, Row } from '../../../database/tables/tables.ts';
import type { JsonText } from '../../../values/json.ts';
import { type JoinedState, listedStateColumns, stateColumns } from './stored-state.ts';

export type FlowRunRow = Row<'flow_run'>;

export const flowRuns = rows('flow_run');
const flowRunTags = rows('flow_run_tag');

export const MISSING = 'Flow run not found';

/** A run with its state and the names of its work queue and pool. */
export interface FlowRunWithState extends Omit<FlowRunRow, 'state_id'>, JoinedState {
  readonly queue_name: string | null;
  readonly work_pool_id: string | null;
  readonly work_pool_name: string | null;
}

const nameColumns = sql`work_queue.name as queue_name, work_pool.id as work_pool_id, work_pool.name as work_pool_name`;

export const flowRunColumns = sql`flow_run.*, ${stateColumns}, ${nameColumns}`;

export function listedFlowRunColumns(db: Db) {
  return sql`${listedColumns(db, 'flow_run')}, ${listedStateColumns(db, 'flow_run_state')}, ${nameColumns}`;
}

export const flowRunJoins = sql`left join flow_run_state state on state.workspace = flow_run.workspace and state.id = flow_run.state_id
  left join work_queue on work_queue.workspace = flow_run.workspace and work_queue.id = flow_run.work_queue_id
  left join work_pool on work_pool.workspace = work_queue.workspace and work_pool.id = work_queue.work_pool_id`;

const flowRunById = statement<{ id: string }, FlowRunWithState>(
  (_query, given) =>
    sql<FlowRunWithState>`select ${flowRunColumns} from flow_run ${flowRunJoins}
      where flow_run."workspace" = ${given.workspace} and flow_run.id = ${given.id}`,
);

export const flowRunByKey = statement<{ flow_id: string; idempotency_key: string }, FlowRunWithState>(
  (_query, given) =>
    sql<FlowRunWithState>`select ${flowRunColumns} from flow_run ${flowRunJoins} where flow_run."workspace" = ${given.workspace}
      and flow_run.flow_id = ${given.flow_id} and flow_run.idempotency_key = ${given.idempotency_key}`,
);

const insertRun = statement<NewRow<'flow_run'>, Pick<FlowRunRow, 'id'>>((query, given) =>
  query
    .insertInto('flow_run')
    .values(rowOf('flow_run', given))
    .onConflict((conflict) =>
      conflict
        .columns(['workspace', 'flow_id', 'idempotency_key'])
        .where('idempotency_key', 'is not', null)
        .doNothing(),
    )
    .returning('id'),
);

/** For a run without an idempotency key, which no other run can have. */
const insertNewRun = statement<NewRow<'flow_run'>, unknown>(
  (query, given) => query.insertInto('flow_run').values(rowOf('flow_run', given)),
  { merges: 'uncounted' },
);

const insertTags = statement<{ id: string; tags: JsonText }, unknown>(
  (_query, given, dialect) =>
    sql`insert into flow_run_tag ("workspace", tag, flow_run_id)
      select distinct ${dialect.typed(given.workspace, 'integer')}, tag.value, ${dialect.typed(given.id, 'uuid')}
      from ${dialect.textsFrom(given.tags)} tag`,
  { merges: 'uncounted' },
);

export function findFlowRun(db: Db, id: string): Promise<FlowRunWithState | undefined> {
  return db.first(flowRunById, { id });
}

/** False when the flow already has a run with this idempotency key: the unique index decides. */
export async function insertFlowRunIfAbsent(tx: Tx, run: NewRow<'flow_run'>): Promise<boolean> {
  const insertItsTags = () => (run.tags === '[]' ? undefined : tx.run(insertTags, { id: run.id, tags: run.tags }));
  if (run.idempotency_key !== null) {
    if (!(await tx.first(insertRun, run))) return false;
    await insertItsTags();
  } else {
    await Promise.all([tx.run(insertNewRun, run), insertItsTags()]);
  }
  return true;
}

/** Also replaces the tags by which lists find the run. False when the run does not exist. */
export async function updateFlowRunColumns(tx: Tx, id: string, change: Partial<FlowRunRow>): Promise<boolean> {
  const changed = await flowRuns.changeAll(tx, { id }, change);
  if (changed > 0 && change.tags !== undefined) {
    await flowRunTags.removeAll(tx, { flow_run_id: id });
    await tx.run(insertTags, { id, tags: change.tags });
  }
  return changed > 0;
}

/**
 * The limit of the deployment of an active run without a lease. Clients of the first 3.0 versions take the slot of
 * their run themselves, without a lease.
 */
export const limitHeldWithoutLease = statement<{ id: string }, Pick<Row<'concurrency_limit'>, 'name'>>((query, given) =>
  query
    .selectFrom('flow_run')
    .innerJoin('deployment', (join) =>
      join
        .onRef('deployment.workspace', '=', 'flow_run.workspace')
        .onRef('deployment.id', '=', 'flow_run.deployment_id'),
    )
    .innerJoin('concurrency_limit', (join) =>
      join
        .onRef('concurrency_limit.workspace', '=', 'deployment.workspace')
        .onRef('concurrency_limit.id', '=', 'deployment.concurrency_limit_id'),
    )
    .select('concurrency_limit.name')
    .where('flow_run.workspace', '=', given.workspace)
    .where('flow_run.id', '=', given.id)
    .where('flow_run.state_type', 'in', ['PENDING', 'RUNNING', 'CANCELLING'])
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('concurrency_lease')
            .select('concurrency_lease.id')
            .whereRef('concurrency_lease.workspace', '=', 'flow_run.workspace')
            .whereRef('concurrency_lease.flow_run_id', '=', 'flow_run.id'),
        ),
      ),
    ),
);
