/** Finds what others built on the sample, which removing the sample would delete or break. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../database/store.ts';
import { counted } from '../../../values/counted.ts';
import type { Timestamp } from '../../../values/time.ts';
import type { SampleMark } from './mark.ts';

interface Found {
  readonly name: string;
  readonly count: number;
}

/** Each as a part of a sentence: `2 runs of its flows (first: "happy-fox")`. */
export async function dependentsOf(db: Db, mark: SampleMark, now: Timestamp): Promise<string[]> {
  const { dialect, workspace } = db;
  const isOne = (column: string, ids: readonly string[]) => dialect.oneOf(sql.ref(column), ids, 'uuid');
  const queues = sql`select id from work_queue where work_queue."workspace" = ${workspace} and work_pool_id = ${mark.work_pool}`;
  const isOfPool = (column: string) => dialect.isAmong(sql.ref(column), queues);
  const kinds: readonly (readonly [what: readonly [string, string], from: RawBuilder<unknown>])[] = [
    [
      ['run of its flows or its pool', 'runs of its flows or its pool'],
      // A schedule of the sample made the runs that never started.
      sql`flow_run where flow_run."workspace" = ${workspace}
        and (${isOne('flow_id', mark.flows)} or ${isOfPool('work_queue_id')})
        and not ${isOne('id', mark.flow_runs)}
        and not (auto_scheduled and state_type = 'SCHEDULED' and run_count = 0)`,
    ],
    [
      ['deployment of its flows or in its pool', 'deployments of its flows or in its pool'],
      sql`deployment where deployment."workspace" = ${workspace}
        and (${isOne('flow_id', mark.flows)} or ${isOfPool('work_queue_id')}) and not ${isOne('id', mark.deployments)}`,
    ],
    [
      ['work queue in its pool', 'work queues in its pool'],
      sql`work_queue where work_queue."workspace" = ${workspace} and work_pool_id = ${mark.work_pool}
        and id <> ${mark.work_queue}`,
    ],
    [
      ['worker that polls its pool', 'workers that poll its pool'],
      sql`worker where worker."workspace" = ${workspace} and work_pool_id = ${mark.work_pool} and online_until >= ${now}`,
    ],
    [
      ['automation that runs its deployments', 'automations that run its deployments'],
      sql`automation where automation."workspace" = ${workspace} and id <> ${mark.automation}
        and ${dialect.isAmong(
          sql`id`,
          sql`select automation_id from automation_related_resource related
          where related."workspace" = ${workspace} and ${dialect.oneOf(sql`resource_id`, resourcesOf(mark), 'text')}`,
        )}`,
    ],
  ];
  const found = await Promise.all(
    kinds.map(([, from]) => db.query(sql<Found>`select min(name) as name, count(*) as count from ${from}`)),
  );
  return kinds.flatMap(([[one, many]], index) => {
    const { name = '', count = 0 } = found[index]?.[0] ?? {};
    if (count === 0) return [];
    return [count === 1 ? `the ${one} "${name}"` : `${counted(count, one, many)} (first: "${name}")`];
  });
}

function resourcesOf({ deployments, flows, work_pool }: SampleMark): string[] {
  return [
    ...deployments.map((id) => `prefect.deployment.${id}`),
    ...flows.map((id) => `prefect.flow.${id}`),
    `prefect.work-pool.${work_pool}`,
  ];
}
