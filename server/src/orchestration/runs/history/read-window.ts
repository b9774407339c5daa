/**
 * Limits how far one request reads the runs of a filter that no index answers: a substring of a name, a tag that many
 * runs have, a rare state of a flow. It reads a limited number of runs in the order of their start, and returns where
 * it stopped.
 */
import { sql } from 'kysely';
import { always, and, type Condition } from '../../../database/dialect/dialect.ts';
import type { Db } from '../../../database/store.ts';
import type { Timestamp } from '../../../values/time.ts';
import { effectiveStart } from '../../filters/flow-run-filter.ts';
import { flowRunCondition, onlyIds, type RelatedFilters } from '../../filters/related-conditions.ts';
import { summableFilter } from './summable-filter.ts';

/** Reading the rows of this many runs, or counting them by interval, takes up to 0.1 s. */
const MOST_READ = 20_000;
/** Searching states among this many runs takes 0.05 s, because an index contains them. */
const MOST_READ_IN_INDEX = 200_000;
/** If a tag has at most this many runs, all of them are read, whenever they started. */
const MOST_OF_TAG = 10_000;

interface Way {
  readonly order: 'newest' | 'oldest';
  /** The condition at which reading begins. */
  readonly beyond: Condition;
  /** True when reading a run costs more than an index look-up. */
  readonly counts: boolean;
  /** True when only runs in one state are wanted, in addition to the filters. */
  readonly isOfOneState?: boolean;
}

interface ReadWindow {
  /** The filters, restricted to the window. */
  readonly condition: Condition;
  /** The start of the last runs in the window; undefined when it contains every run that can match. */
  readonly end: Timestamp | undefined;
}

export async function findReadWindow(db: Db, filters: RelatedFilters, way: Way): Promise<ReadWindow> {
  const { dialect } = db;
  const own = ownOf(filters);
  const everyMatch = { condition: flowRunCondition(filters, dialect), end: undefined };
  const most = mostRead(filters, way);
  if (most === undefined || own.id?.any_) return everyMatch;
  const tagged = await findTagged(db, own);
  if (tagged) return { ...everyMatch, condition: and([tagged, everyMatch.condition]) };
  const end = await findEnd(db, filters, way, most);
  return end === undefined ? everyMatch : { condition: conditionUntil(db, filters, way, end), end };
}

/** Undefined when every run matches, so that a page is found immediately. */
function mostRead(filters: RelatedFilters, { counts, isOfOneState = false }: Way): number | undefined {
  const { flows, deployments, ...rest } = filters;
  const isFound = [flows, deployments].every((filter) => !filter || onlyIds(filter)?.length === 1);
  const summable = isFound ? summableFilter(rest, 'start_time') : undefined;
  if (!summable || counts) return MOST_READ;
  return Object.keys(summable.states).length === 0 && !isOfOneState ? undefined : MOST_READ_IN_INDEX;
}

async function findEnd(db: Db, filters: RelatedFilters, { order, beyond }: Way, most: number) {
  const { dialect } = db;
  const { after_, before_ } = boundsOf(filters);
  const condition = and([
    scopeOf(db, filters),
    after_ ? sql<boolean>`${effectiveStart} >= ${after_}` : always,
    before_ ? sql<boolean>`${effectiveStart} <= ${before_}` : always,
    beyond,
  ]);
  const [last] = await db.query(
    sql<{ start: Timestamp | null }>`select ${effectiveStart} as start from flow_run
      where flow_run."workspace" = ${db.workspace} and ${condition}
      order by ${dialect.orderBy(effectiveStart, order === 'newest' ? 'desc' : 'asc')} limit 1 offset ${most}`,
  );
  return last?.start ?? undefined;
}

/** Replaces a bound of the filters by the end, because SQLite can seek only one of two. */
function conditionUntil({ dialect }: Db, filters: RelatedFilters, { order }: Way, end: Timestamp): Condition {
  const own = ownOf(filters);
  const isNewest = order === 'newest';
  if (own.operator === 'or_') {
    const within = sql<boolean>`${effectiveStart} ${sql.raw(isNewest ? '>=' : '<=')} ${end}`;
    return and([flowRunCondition(filters, dialect), within]);
  }
  const start_time = { ...own.start_time, [isNewest ? 'after_' : 'before_']: end };
  return flowRunCondition({ ...filters, flow_runs: { ...own, start_time } }, dialect);
}

/** Restricts to one flow or one deployment, whose runs have an index in the order of their start. */
function scopeOf({ dialect }: Db, filters: RelatedFilters): Condition {
  const [flow, ...otherFlows] = onlyIds(filters.flows) ?? [];
  if (flow !== undefined && otherFlows.length === 0) return dialect.oneOf(sql`flow_run.flow_id`, [flow], 'uuid');
  const [deployment, ...others] = onlyIds(filters.deployments) ?? [];
  if (deployment === undefined || others.length > 0) return always;
  return dialect.oneOf(sql`flow_run.deployment_id`, [deployment], 'uuid');
}

interface OwnFilter {
  readonly operator?: string | null;
  readonly id?: { readonly any_?: readonly string[] | null } | null;
  readonly tags?: { readonly all_?: readonly string[] | null; readonly operator?: string | null } | null;
  readonly start_time?: { readonly after_?: Timestamp | null; readonly before_?: Timestamp | null } | null;
}

function ownOf({ flow_runs }: RelatedFilters): OwnFilter {
  return flow_runs ?? {};
}

function boundsOf(filters: RelatedFilters) {
  const { operator, start_time } = ownOf(filters);
  return operator === 'or_' ? {} : (start_time ?? {});
}

/** The runs with a tag that the filter requires, if they are few. */
async function findTagged(db: Db, { operator, tags }: OwnFilter): Promise<Condition | undefined> {
  const [tag] = operator === 'or_' || tags?.operator === 'or_' ? [] : (tags?.all_ ?? []);
  if (tag === undefined) return undefined;
  const runs = sql`select flow_run_tag.flow_run_id from flow_run_tag
    where flow_run_tag."workspace" = ${db.workspace} and flow_run_tag.tag = ${tag}`;
  const [found] = await db.query(
    sql<{ count: number }>`select count(*) as count from (${runs} limit ${MOST_OF_TAG}) counted`,
  );
  return (found?.count ?? 0) < MOST_OF_TAG ? db.dialect.isAmong(sql`flow_run.id`, runs) : undefined;
}
