/**
 * Limits how far one request reads the runs of a filter that no index answers: a substring of a name, a tag that many
 * runs have, a rare state of a flow. It reads a limited number of runs in the order of their start, and returns where
 * it stopped.
 */
import { sql } from 'kysely';
import { always, and, type Condition } from '../../../database/dialect/dialect.ts';
import type { Db } from '../../../database/store.ts';
import type { Timestamp } from '../../../values/time.ts';
import { onlyIds, type RelatedFilters } from '../../filters/related-conditions.ts';
import type { StartOrder } from './start-order.ts';
import { summableFilter } from './summable-filter.ts';

/** Reading the rows of this many runs, or counting them by interval, takes up to 0.1 s. */
const MOST_READ = 20_000;
/** Searching states among this many runs takes 0.05 s, because an index contains them. */
const MOST_READ_IN_INDEX = 200_000;
/** Counting this many runs by state in an index takes 0.1 s. */
const MOST_COUNTED_IN_INDEX = 100_000;
/** If a tag has at most this many runs, all of them are read, whenever they started. */
const MOST_OF_TAG = 10_000;
/** Bytes of parameters that are searched; at least one run is. */
const MOST_PARAMETER_BYTES = 4 * 1024 * 1024;
/** The frame of a sum in which equal starts count one by one. */
const UNTIL_THE_ROW = sql`rows unbounded preceding`;

/** Comparing a row with this many values costs about as much as reading it. */
const CHEAP_COMPARISONS = 10;
/** Runs whose parameters are read, to those whose are not. */
const PARAMETERS_TO_ROWS = 50;

/** The cost of a row of these filters, as a multiple of that of a row without further conditions. */
function comparisonCost({ narrowing }: RelatedFilters): number {
  return Math.max(1, (narrowing?.comparisons ?? 0) / CHEAP_COMPARISONS);
}

/** Like `comparisonCost`, for reads that do not know the size of the parameters. */
export function rowCost(filters: RelatedFilters): number {
  return comparisonCost(filters) * (filters.narrowing?.readsParameters ? PARAMETERS_TO_ROWS : 1);
}

interface Way {
  readonly order: 'newest' | 'oldest';
  /** The condition at which reading begins. */
  readonly beyond: Condition;
  /** True when reading a run costs more than an index look-up. */
  readonly counts: boolean;
  /** True when only runs in one state are wanted, in addition to the filters. */
  readonly isOfOneState?: boolean;
  /** Reads fewer runs than usual. */
  readonly most?: number;
}

interface ReadWindow {
  /** The filters, restricted to the window. */
  readonly condition: Condition;
  /** The start of the last runs in the window; undefined when it contains every run that can match. */
  readonly end: Timestamp | undefined;
}

export async function findReadWindow(db: Db, runs: StartOrder, filters: RelatedFilters, way: Way): Promise<ReadWindow> {
  const { dialect } = db;
  const own = ownOf(runs, filters);
  const everyMatch = { condition: runs.conditionOf(filters, dialect), end: undefined };
  const cost = comparisonCost(filters);
  const most = mostRead(runs, filters, way);
  const readsParameters = filters.narrowing?.readsParameters === true;
  if (most === undefined || (own.id?.any_ && !readsParameters && cost === 1)) return everyMatch;
  const tagged = readsParameters || cost > 1 ? undefined : await findTagged(db, runs, own);
  if (tagged) return { ...everyMatch, condition: and([tagged, everyMatch.condition]) };
  const end = await findEnd(db, runs, filters, way, Math.ceil(most / cost));
  return end === undefined ? everyMatch : { condition: conditionUntil(db, runs, filters, way, end), end };
}

/** Undefined when every run matches, so that a page is found immediately. */
function mostRead(runs: StartOrder, filters: RelatedFilters, way: Way): number | undefined {
  const { counts, isOfOneState = false, most = MOST_READ } = way;
  const { flows, deployments, ...rest } = filters;
  const isFound = [flows, deployments].every((filter) => !filter || onlyIds(filter)?.length === 1);
  const isOfFlow = runs.table === 'task_run' && (flows || deployments);
  const summable = isFound && !isOfFlow ? summableFilter(rest, runs.criterion, runs.own) : undefined;
  if (!summable) return most;
  if (counts) return runs.table === 'task_run' ? Math.min(most, MOST_COUNTED_IN_INDEX) : most;
  return Object.keys(summable.states).length === 0 && !isOfOneState ? undefined : MOST_READ_IN_INDEX;
}

async function findEnd(db: Db, runs: StartOrder, filters: RelatedFilters, { order, beyond }: Way, most: number) {
  const { dialect } = db;
  const { start, table } = runs;
  const { after_, before_ } = boundsOf(runs, filters);
  const condition = and([
    scopeOf(db, runs, filters),
    after_ ? sql<boolean>`${start} >= ${after_}` : always,
    before_ ? sql<boolean>`${start} <= ${before_}` : always,
    beyond,
  ]);
  const direction = order === 'newest' ? 'desc' : 'asc';
  const from = sql`from ${sql.table(table)} where ${sql.ref(`${table}.workspace`)} = ${db.workspace} and ${condition}`;
  const sorted = sql`order by ${dialect.orderBy(start, direction)}`;
  const [last] = await db.query(
    filters.narrowing?.readsParameters
      ? sql<{ start: Timestamp | null }>`select start from (
          select ${start} as start, row_number() over (${sorted}) as position,
            sum(octet_length(flow_run.parameters)) over (${sorted} ${UNTIL_THE_ROW}) as bytes
          ${from} ${sorted} limit ${most + 1}
        ) read where bytes > ${Math.ceil(MOST_PARAMETER_BYTES / comparisonCost(filters))} or position > ${most} order by position limit 1`
      : sql<{ start: Timestamp | null }>`select ${start} as start ${from} ${sorted} limit 1 offset ${most}`,
  );
  return last?.start ?? undefined;
}

/** Replaces a bound of the filters by the end, because SQLite can seek only one of two. */
function conditionUntil({ dialect }: Db, runs: StartOrder, filters: RelatedFilters, { order }: Way, end: Timestamp) {
  const own = ownOf(runs, filters);
  const isNewest = order === 'newest';
  if (own.operator === 'or_') {
    const within = sql<boolean>`${runs.start} ${sql.raw(isNewest ? '>=' : '<=')} ${end}`;
    return and([runs.conditionOf(filters, dialect), within]);
  }
  const bounds = { ...own[runs.criterion], [isNewest ? 'after_' : 'before_']: end };
  return runs.conditionOf({ ...filters, [runs.own]: { ...own, [runs.criterion]: bounds } }, dialect);
}

/** Restricts to one flow or one deployment, whose flow runs have an index in the order of their start. */
function scopeOf({ dialect }: Db, { table }: StartOrder, filters: RelatedFilters): Condition {
  if (table === 'task_run') return always;
  const [flow, ...otherFlows] = onlyIds(filters.flows) ?? [];
  if (flow !== undefined && otherFlows.length === 0) return dialect.oneOf(sql`flow_run.flow_id`, [flow], 'uuid');
  const [deployment, ...others] = onlyIds(filters.deployments) ?? [];
  if (deployment === undefined || others.length > 0) return always;
  return dialect.oneOf(sql`flow_run.deployment_id`, [deployment], 'uuid');
}

interface Bounds {
  readonly after_?: Timestamp | null;
  readonly before_?: Timestamp | null;
}

interface OwnFilter {
  readonly operator?: string | null;
  readonly id?: { readonly any_?: readonly string[] | null } | null;
  readonly tags?: {
    readonly all_?: readonly string[] | null;
    readonly any_?: readonly string[] | null;
    readonly operator?: string | null;
  } | null;
  readonly start_time?: Bounds | null;
  readonly expected_start_time?: Bounds | null;
}

function ownOf({ own }: StartOrder, filters: RelatedFilters): OwnFilter {
  return filters[own] ?? {};
}

function boundsOf(runs: StartOrder, filters: RelatedFilters): Bounds {
  const { operator, [runs.criterion]: bounds } = ownOf(runs, filters);
  return operator === 'or_' ? {} : (bounds ?? {});
}

/** The runs with a tag that the filter requires, if they are few. */
async function findTagged(db: Db, { table }: StartOrder, { operator, tags }: OwnFilter) {
  const required = operator === 'or_' || tags?.operator === 'or_' ? [] : (tags?.all_?.slice(0, 1) ?? tags?.any_ ?? []);
  if (required.length === 0) return undefined;
  const tag = (column: string) => sql.ref(`${table}_tag.${column}`);
  const runs = sql`select ${tag(`${table}_id`)} from ${sql.table(`${table}_tag`)}
    where ${tag('workspace')} = ${db.workspace} and ${db.dialect.oneOf(tag('tag'), required, 'text')}`;
  const [found] = await db.query(
    sql<{ count: number }>`select count(*) as count from (${runs} limit ${MOST_OF_TAG}) counted`,
  );
  return (found?.count ?? 0) < MOST_OF_TAG ? db.dialect.isAmong(sql.ref(`${table}.id`), runs) : undefined;
}
