/**
 * The failures of a span of time. A failure is an attempt of a flow run that ended failed or crashed, whatever the run
 * did afterwards; an attempt that its policy retried has not ended. A tree is one failure: the failure of a subflow
 * belongs to that of its parent, if the parent fails next.
 */
import { type RawBuilder, sql } from 'kysely';
import type { SqlDialect } from '../../database/dialect/dialect.ts';
import { statement } from '../../database/statement.ts';
import type { Db } from '../../database/store.ts';
import type { Timestamp } from '../../values/time.ts';
import { terminalTypes } from '../runs/rows/state.ts';

interface CountedFailures {
  readonly count: number;
  /** Older failures are not counted. Null if all are counted. */
  readonly counted_since: Timestamp | null;
}

/** Counting this many takes about 0.05 s. */
const MOST_COUNTED = 5000;
/** The names that failed states have. More are not looked at. */
const MOST_NAMES = 40;

const failed = sql`('FAILED', 'CRASHED')`;
const ended = sql`(${sql.join(terminalTypes.map(sql.lit))})`;

/** The number of failed trees. */
export async function countFailedTrees(db: Db, since: Timestamp): Promise<CountedFailures> {
  const found = await db.first(countOfFailures, { since, limit: MOST_COUNTED });
  const { trees = 0, failures = 0, first = null } = found ?? {};
  return { count: trees, counted_since: failures < MOST_COUNTED ? null : first };
}

interface NamedFailures {
  readonly state_type: 'FAILED' | 'CRASHED';
  readonly state_name: string;
  /** At most 5,000. */
  readonly count: number;
}

interface Span {
  readonly since: Timestamp;
  readonly until: Timestamp;
}

/** The failed states of a span by their names, those of subflows too unless `topOnly`. */
export function countFailuresByName(db: Db, span: Span, topOnly: boolean): Promise<NamedFailures[]> {
  return db.all(topOnly ? namedFailuresAtTop : namedFailures, { ...span, limit: MOST_COUNTED });
}

interface Asked {
  readonly since: Timestamp;
  readonly limit: number;
}

type Given = { readonly [Name in 'workspace']: unknown };
type GivenSpan = Given & { readonly [Name in keyof Asked]: unknown };

const countOfFailures = statement<Asked, { trees: number; failures: number; first: Timestamp | null }>(
  (_query, given, dialect) =>
    sql`${names(given, dialect)}
      select count(*) as failures, min(at) as first, count(case when part_of is null then 1 end) as trees
      from (
        select state.timestamp as at, ${partOf} as part_of from ${failures(given, dialect)}
        order by state.timestamp desc, state.id desc limit ${given.limit}
      ) failure`,
);

const namedFailuresWhere = (join: RawBuilder<unknown>) =>
  statement<Span & { limit: number }, NamedFailures>(
    (_query, given, dialect) =>
      sql<NamedFailures>`${names(given, dialect)}
        select * from (
          select named.type as state_type, named.name as state_name, (select count(*) from (
            select 1 from flow_run_state state ${join} where state."workspace" = ${given.workspace}
              and state.type = named.type and state.name = named.name
              and state.timestamp >= ${given.since} and state.timestamp < ${given.until} limit ${given.limit}) counted
          ) as count from named
        ) failure where count > 0 order by count desc, state_name`,
  );
const namedFailures = namedFailuresWhere(sql``);
const namedFailuresAtTop = namedFailuresWhere(sql`join flow_run on flow_run.workspace = state.workspace
  and flow_run.id = state.flow_run_id and flow_run.parent_task_run_id is null`);

/** Takes one step in the index for each name, however many states have it. The last name of each type is null. */
function names(given: Given, { textsFrom }: SqlDialect): RawBuilder<unknown> {
  const next = (type: RawBuilder<unknown>, after: RawBuilder<unknown>) =>
    sql`(select name from flow_run_state where "workspace" = ${given.workspace} and type = ${type} ${after}
      order by name limit 1)`;
  return sql`with recursive found(type, name) as (
      select each.value, ${next(sql`each.value`, sql``)} from ${textsFrom(sql.lit('["FAILED","CRASHED"]'))} each
      union all
      select found.type, ${next(sql`found.type`, sql`and name > found.name`)} from found where found.name is not null
    ), named as (select type, name from found where name is not null limit ${sql.lit(MOST_NAMES)})`;
}

/** A state that follows another failed one says more about the same failure: that one, or null. */
export const repeats = sql`(select case when last.type in ${failed} then last.id end from (
    select id, type from flow_run_state before where before.workspace = state.workspace
      and before.flow_run_id = state.flow_run_id and before.timestamp < state.timestamp
    order by before.timestamp desc limit 1) last)`;

function failures(given: GivenSpan, { isAmong, joinInOrder }: SqlDialect): RawBuilder<unknown> {
  const newest = sql`select recent.id from flow_run_state recent where recent."workspace" = ${given.workspace}
    and recent.type = named.type and recent.name = named.name and recent.timestamp >= ${given.since}
    order by recent.timestamp desc limit ${given.limit}`;
  return sql`named
    ${joinInOrder} flow_run_state state on state."workspace" = ${given.workspace} and ${isAmong(sql`state.id`, newest)}
      and ${repeats} is null
    join flow_run on flow_run.workspace = state.workspace and flow_run.id = state.flow_run_id
    left join task_run parent on parent.workspace = flow_run.workspace and parent.id = flow_run.parent_task_run_id`;
}

/**
 * The failure of the parent to which that of `state` belongs. The parent has failed by then, as a run does whose process ends before its subflows do, or it ends failed.
 */
export const partOf = sql`coalesce(
  (select case when last.type in ${failed} then last.id end from (
      select id, type from flow_run_state before where before.workspace = parent.workspace
        and before.flow_run_id = parent.flow_run_id and before.timestamp <= state.timestamp
      order by before.timestamp desc limit 1) last),
  (select case when next.type in ${failed} then next.id end from (
      select id, type from flow_run_state after where after.workspace = parent.workspace
        and after.flow_run_id = parent.flow_run_id and after.timestamp > state.timestamp and after.type in ${ended}
      order by after.timestamp limit 1) next))`;

/** True for a run of which an attempt failed, whatever it did afterwards, at the top of its tree. */
export const hasFailedAtTop = sql<boolean>`exists (
  select 1 from flow_run_state state
  left join task_run parent on parent.workspace = flow_run.workspace and parent.id = flow_run.parent_task_run_id
  where state.workspace = flow_run.workspace and state.flow_run_id = flow_run.id and state.type in ${failed}
    and ${partOf} is null)`;
