/** Finds and deletes expired rows, in batches of a known size. */
import { sql } from 'kysely';
import { deletionOfSome } from '../../database/delete-found.ts';
import { statement } from '../../database/statement.ts';
import type { Db, Tx } from '../../database/store.ts';
import type { Timestamp } from '../../values/time.ts';
import { terminalTypes } from '../runs/rows/state.ts';

interface Batch {
  readonly before: Timestamp;
  readonly limit: number;
}

export const deleteEventsBefore = deletionOfSome<Batch>(
  'event',
  'id',
  ({ before, limit }) => sql`and occurred < ${before} order by occurred, id limit ${limit}`,
);

export const deleteLogsBefore = deletionOfSome<Batch>(
  'log',
  'id',
  ({ before, limit }) => sql`and timestamp < ${before} order by timestamp limit ${limit}`,
);

/** Logs of the runs of a deployment, oldest first. */
export const logsOfDeployment = statement<
  { deployment_id: string; since: Timestamp; before: Timestamp; limit: number },
  { id: string; timestamp: Timestamp; flow_run_id: string | null }
>(
  (_query, given) =>
    sql`select log.id, log.timestamp, log.flow_run_id from log
      where log."workspace" = ${given.workspace} and log.timestamp >= ${given.since} and log.timestamp < ${given.before}
        and exists (select 1 from flow_run where flow_run."workspace" = log."workspace" and flow_run.id = log.flow_run_id
          and flow_run.deployment_id = ${given.deployment_id})
      order by log.timestamp limit ${given.limit}`,
);

const endedRuns = statement<Batch, { id: string }>(
  (_query, given) =>
    sql<{ id: string }>`select id from flow_run where "workspace" = ${given.workspace} and end_time < ${given.before}
      and state_type in (${sql.join(terminalTypes)}) order by end_time limit ${given.limit}`,
);

const endedRun = statement<{ id: string; before: Timestamp }, { id: string }>(
  (_query, given) =>
    sql<{ id: string }>`select id from flow_run where "workspace" = ${given.workspace} and id = ${given.id}
      and end_time < ${given.before} and state_type in (${sql.join(terminalTypes)})`,
);

/** A flow run to which rows of another table refer. `runs` is 0 when it was deleted. */
export interface NamedRun {
  readonly id: string;
  readonly runs: number;
}

/**
 * The runs to which rows of `table` refer, in the order of their ids. Costs one index step per run, however many rows.
 */
function runsNamedBy(table: 'log' | 'artifact') {
  return statement<{ after: string; limit: number }, NamedRun>((_query, given) => {
    const rows = sql.table(table);
    const next = (after: unknown) =>
      sql`(select flow_run_id from ${rows} where "workspace" = ${given.workspace} and flow_run_id > ${after}
        order by flow_run_id limit 1)`;
    return sql<NamedRun>`with recursive named(id, place) as (
        select ${next(given.after)}, 1
        union all
        select ${next(sql`named.id`)}, place + 1 from named where named.id is not null and place < ${given.limit}
      )
      select named.id, (select count(*) from flow_run where flow_run."workspace" = ${given.workspace}
        and flow_run.id = named.id) as runs from named where named.id is not null order by place`;
  });
}

export const runsOfLogs = runsNamedBy('log');
export const runsOfArtifacts = runsNamedBy('artifact');

const artifactsOfRun = statement<Batch & { flow_run_id: string }, { id: string }>(
  (_query, given) =>
    sql<{ id: string }>`select id from artifact where "workspace" = ${given.workspace}
      and flow_run_id = ${given.flow_run_id} and created < ${given.before} limit ${given.limit}`,
);

/** Flow runs in a terminal state that ended before a time, oldest first. */
export async function listRunsEndedBefore(db: Db, before: Timestamp, limit: number): Promise<string[]> {
  return (await db.all(endedRuns, { before, limit })).map(({ id }) => id);
}

/** False for a run that was deleted or has started again. */
export async function endedBefore(tx: Tx, id: string, before: Timestamp): Promise<boolean> {
  return (await tx.first(endedRun, { id, before })) !== undefined;
}

export async function listArtifactsOfRun(db: Db, run: string, before: Timestamp, limit: number): Promise<string[]> {
  return (await db.all(artifactsOfRun, { flow_run_id: run, before, limit })).map(({ id }) => id);
}
