/** Concurrency limits with the holders of their slots and the runs that wait for one. */
import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { statement } from '../../database/statement.ts';
import { addSeconds, type Timestamp } from '../../values/time.ts';
import { findLimit, type LimitInUse, listLimits } from '../limits/global-limits/queries.ts';
import { activeSlots, deniedSlots } from '../limits/global-limits/usage.ts';
import { MOST_LIMITS, type SlotHolder } from './concurrency-schema.ts';

const HOLDERS_IN_LIST = 5;
const HOLDERS_OF_ONE = 200;
/** Leases that last longer count as held until they are released. */
const ENDLESS_SECONDS = 10 * 365 * 86_400;

const DEPLOYMENT = /^deployment:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

interface HolderRow extends Omit<SlotHolder, 'since' | 'expires_at'> {
  readonly concurrency_limit_id: string;
  readonly holder_count: number;
  readonly since: Timestamp;
  readonly expires_at: Timestamp;
}

/**
 * The server knows for which run it took a lease itself; for other leases it knows the holder that the client named.
 */
const holders = statement<{ ids: string; now: Timestamp; most: number }, HolderRow>(
  (_query, given, dialect) =>
    sql<HolderRow>`select held.concurrency_limit_id, held.lease_id, held.slots, held.holder_count, held.type,
        held.holder_id as id, held.created as since, held.expires_at,
        coalesce(flow_run.name, task_run.name, deployment.name) as name,
        coalesce(flow_run.state_type, task_run.state_type) as state_type
      from (select slot.concurrency_limit_id, slot.lease_id, slot.slots, lease.created, lease.expires_at,
          case when lease.flow_run_id is not null then 'flow_run' when lease.task_run_id is not null then 'task_run'
            else lease.holder_type end as type,
          coalesce(lease.flow_run_id, lease.task_run_id, lease.holder_id) as holder_id,
          count(*) over (partition by slot.concurrency_limit_id) as holder_count,
          row_number() over (partition by slot.concurrency_limit_id order by lease.created, lease.id) as place
        from ${dialect.rowsFrom(given.ids, { id: 'uuid' })} asked
        ${dialect.joinInOrder} concurrency_slot slot on slot."workspace" = ${given.workspace}
          and slot.concurrency_limit_id = asked.id
        ${dialect.joinInOrder} concurrency_lease lease on lease.workspace = slot.workspace and lease.id = slot.lease_id
        where lease.expires_at > ${given.now}) held
      left join flow_run on flow_run."workspace" = ${given.workspace} and flow_run.id = held.holder_id
      left join task_run on task_run."workspace" = ${given.workspace} and task_run.id = held.holder_id
      left join deployment on deployment."workspace" = ${given.workspace} and deployment.id = held.holder_id
      where held.place <= ${given.most} order by held.place`,
);

interface WaiterRow {
  readonly deployment_id: string;
  readonly waiter_count: number;
  readonly id: string;
  readonly name: string;
  readonly since: Timestamp | null;
}

const waiters = statement<{ ids: string; most: number }, WaiterRow>(
  (_query, given, dialect) =>
    sql<WaiterRow>`select * from (select flow_run.deployment_id, flow_run.id, flow_run.name, flow_run.expected_start_time as since,
        count(*) over (partition by flow_run.deployment_id) as waiter_count,
        row_number() over (partition by flow_run.deployment_id order by flow_run.expected_start_time, flow_run.id) as place
      from flow_run where flow_run."workspace" = ${given.workspace} and flow_run.state_type = 'SCHEDULED'
        and flow_run.state_name = 'AwaitingConcurrencySlot'
        and flow_run.deployment_id in (select id from ${dialect.rowsFrom(given.ids, { id: 'uuid' })} asked)) waiting
      where waiting.place <= ${given.most} order by waiting.place`,
);

interface DeploymentRow {
  readonly id: string;
  readonly name: string;
  readonly flow_name: string;
}

const deployments = statement<{ ids: string }, DeploymentRow>(
  (_query, given, dialect) =>
    sql<DeploymentRow>`select deployment.id, deployment.name, flow.name as flow_name
      from ${dialect.rowsFrom(given.ids, { id: 'uuid' })} asked
      ${dialect.joinInOrder} deployment on deployment."workspace" = ${given.workspace} and deployment.id = asked.id
      join flow on flow.workspace = deployment.workspace and flow.id = deployment.flow_id`,
);

export async function readLimitsView(context: Context, offset: number) {
  const found = await listLimits(context.db, context.now, { limit: MOST_LIMITS + 1, offset });
  const limits = found.slice(0, MOST_LIMITS);
  return {
    as_of: context.now,
    limits: await withHolders(context, limits, HOLDERS_IN_LIST),
    next: found.length > MOST_LIMITS ? offset + MOST_LIMITS : null,
  };
}

/** Undefined when the limit does not exist. */
export async function readLimitView(context: Context, id: string) {
  const limit = await findLimit(context.db, { id }, context.now);
  const [view] = limit ? await withHolders(context, [limit], HOLDERS_OF_ONE) : [];
  return view;
}

async function withHolders({ db, now }: Context, limits: readonly LimitInUse[], most: number) {
  const idsOf = (ids: readonly string[]) => JSON.stringify(ids.map((id) => ({ id })));
  const ofDeployments = idsOf(limits.flatMap(({ name }) => DEPLOYMENT.exec(name)?.[1] ?? []));
  const [held, waiting, named] = await Promise.all([
    db.all(holders, { ids: idsOf(limits.map(({ id }) => id)), now, most }),
    db.all(waiters, { ids: ofDeployments, most }),
    db.all(deployments, { ids: ofDeployments }),
  ]);
  const endless = addSeconds(now, ENDLESS_SECONDS);
  const heldBy = Map.groupBy(held, ({ concurrency_limit_id }) => concurrency_limit_id);
  const waitingBy = Map.groupBy(waiting, ({ deployment_id }) => deployment_id);
  return limits.map((limit) => {
    const ownHolders = heldBy.get(limit.id) ?? [];
    const deployment = named.find(({ id }) => limit.name === `deployment:${id}`) ?? null;
    const ownWaiters = waitingBy.get(deployment?.id ?? '') ?? [];
    return {
      ...limit,
      kind: deployment ? 'deployment' : limit.name.startsWith('tag:') ? 'tag' : 'global',
      deployment,
      active_slots: activeSlots(limit, now),
      denied_slots: deniedSlots(limit, now),
      holder_count: ownHolders[0]?.holder_count ?? 0,
      holders: ownHolders.map((holder) => ({
        ...holder,
        expires_at: holder.expires_at > endless ? null : holder.expires_at,
      })),
      waiter_count: ownWaiters[0]?.waiter_count ?? 0,
      waiters: ownWaiters,
    };
  });
}
