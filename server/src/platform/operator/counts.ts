/** Counts rows over all workspaces for operators. Each statement reads few rows, or stops at a limit. */
import { sql } from 'kysely';
import { platformStatement } from '../../database/statement.ts';
import { REMOVED_WORKSPACES } from '../../database/workspaces.ts';
import type { Timestamp } from '../../values/time.ts';

type None = Record<string, never>;

/** Rows beyond this number are not counted. */
export const MOST_COUNTED = 10_000;

/** The name of a workspace for operators: `organization/handle`. */
export const named = sql`organization.slug || '/' || workspace.handle`;
const owner = sql`join organization on organization.id = workspace.organization_id
    where workspace.organization_id <> ${sql.lit(REMOVED_WORKSPACES)}`;

export interface StateCount {
  readonly key: number;
  readonly workspace: string;
  readonly state_type: string;
  readonly count: number;
}

/** Reads the sums that triggers keep. */
export const countStates = platformStatement<None, StateCount>(
  () => sql<StateCount>`select workspace.key as key, ${named} as workspace, flow_run_count.state_type,
      sum(flow_run_count.count) as count
    from flow_run_count join workspace on workspace.key = flow_run_count.workspace ${owner}
    group by workspace.key, organization.slug, workspace.handle, flow_run_count.state_type`,
);

interface SlotCount {
  readonly workspace: string;
  readonly slots: number;
  readonly held: number;
}

export const countSlots = platformStatement<{ now: Timestamp }, SlotCount>(
  (
    _query,
    given,
  ) => sql<SlotCount>`select ${named} as workspace, known.slots, known.unleased + coalesce(leased.slots, 0) as held
    from (select workspace, sum("limit") as slots, sum(unleased_slots) as unleased
        from concurrency_limit where active group by workspace) known
      left join (select concurrency_slot.workspace, sum(concurrency_slot.slots) as slots
        from concurrency_lease
          join concurrency_slot on concurrency_slot.workspace = concurrency_lease.workspace
            and concurrency_slot.lease_id = concurrency_lease.id
        where concurrency_lease.expires_at > ${given.now}
        group by concurrency_slot.workspace) leased on leased.workspace = known.workspace
      join workspace on workspace.key = known.workspace ${owner}`,
);

interface PoolCount {
  readonly workspace: string;
  readonly status: string;
  readonly count: number;
}

export const countPools = platformStatement<None, PoolCount>(
  () => sql<PoolCount>`select ${named} as workspace, pools.status, pools.count
    from (select workspace, status, count(*) as count from work_pool group by workspace, status) pools
      join workspace on workspace.key = pools.workspace ${owner}`,
);

export const countWorkersOnline = platformStatement<{ now: Timestamp }, { workspace: string; count: number }>(
  (_query, given) => sql<{ workspace: string; count: number }>`select ${named} as workspace, online.count
    from (select workspace, count(*) as count from worker where online_until >= ${given.now} group by workspace) online
      join workspace on workspace.key = online.workspace ${owner}`,
);

export const countAutomationWork = platformStatement<None, { events: number; actions: number }>(
  () => sql<{ events: number; actions: number }>`select
    (select count(*) from (select 1 as one from automation_event limit ${sql.lit(MOST_COUNTED)}) waiting) as events,
    (select count(*) from (select 1 as one from automation_action limit ${sql.lit(MOST_COUNTED)}) waiting) as actions`,
);
