/** Reads sorted pages of flow runs, and counts flow runs. */
import { type RawBuilder, sql } from 'kysely';
import { always, type Expression, type SqlDialect } from '../../../database/dialect/dialect.ts';
import type { Db } from '../../../database/store.ts';
import { effectiveStart } from '../../filters/flow-run-filter.ts';
import type { ListPart } from '../../filters/pagination.ts';
import { flowRunCondition, type RelatedFilters } from '../../filters/related-conditions.ts';
import { type FlowRunWithState, flowRunJoins, listedFlowRunColumns } from '../rows/flow-runs.ts';
import { runOrder } from '../rows/order.ts';
import type { FlowRunSort } from './schema.ts';

/** The offset from which counting the runs saves time. */
const DEEP_OFFSET = 2000;

/**
 * Selects the ids of the page first and joins the rows afterwards, so a deep offset reads the index instead of the
 * rows. When the number of runs is known, a page beyond the middle is read from the end of the order.
 */
export async function listFlowRuns(
  db: Db,
  filters: RelatedFilters,
  page: ListPart<FlowRunSort>,
): Promise<FlowRunWithState[]> {
  return db.query(await selectFlowRuns<FlowRunWithState>(db, filters, page, listedFlowRunColumns(db)));
}

/** The query of `listFlowRuns`, for other columns of the runs. */
export async function selectFlowRuns<Row>(
  db: Db,
  filters: RelatedFilters,
  page: ListPart<FlowRunSort>,
  columns: Expression,
): Promise<RawBuilder<Row>> {
  const { dialect } = db;
  const order = orderOf(page.sort, dialect);
  const condition = flowRunCondition(filters, dialect);
  const ids = (cut: Expression) =>
    sql`select flow_run.id from flow_run where flow_run."workspace" = ${db.workspace} and ${condition} order by ${cut}`;
  const fromEnd = await cutFromEnd(db, filters, page);
  // The outer limit repeats the inner one, so that PostgreSQL knows that the page is short.
  const found = fromEnd
    ? sql`select id from (${ids(fromEnd)}) far limit ${page.limit}`
    : ids(sql`${order} limit ${page.limit} offset ${page.offset}`);
  return sql<Row>`select ${columns} from (${found}) page
      ${dialect.joinInOrder} flow_run on flow_run."workspace" = ${db.workspace} and flow_run.id = page.id
      ${flowRunJoins} order by ${order}`;
}

/**
 * Reads the page in the reversed order; undefined when that is not shorter. The count only decides which way is
 * shorter: the statement that reads the page counts again, because other writers may come between the two.
 */
async function cutFromEnd(db: Db, filters: RelatedFilters, { sort, limit, offset }: ListPart<FlowRunSort>) {
  const reversed = offset < DEEP_OFFSET ? undefined : reversedOrderOf(sort, db.dialect);
  const states = reversed && onlyStateTypes(filters);
  if (!states || offset < (await countFlowRuns(db, filters)) / 2) return undefined;
  const after = sql`(${knownCount(db, states)}) - ${db.dialect.typed(offset, 'integer')}`;
  const part = (whole: Expression) => sql`(select cast(${whole} as bigint) from (select ${after} as "left") known)`;
  return sql`${reversed}
    limit ${part(sql`case when "left" > ${limit} then ${limit} when "left" > 0 then "left" else 0 end`)}
    offset ${part(sql`case when "left" > ${limit} then "left" - ${limit} else 0 end`)}`;
}

export async function countFlowRuns(db: Db, filters: RelatedFilters): Promise<number> {
  const states = onlyStateTypes(filters);
  const [row] = await db.query(
    states
      ? sql<{ count: number }>`select (${knownCount(db, states)}) as count`
      : sql<{ count: number }>`select count(*) as count from flow_run where flow_run."workspace" = ${db.workspace}
          and ${flowRunCondition(filters, db.dialect)}`,
  );
  return row?.count ?? 0;
}

function knownCount({ dialect, workspace }: Db, { any }: { any: readonly string[] | undefined }): Expression {
  return sql`select coalesce(sum(count), 0) from flow_run_count
    where "workspace" = ${workspace} and ${any ? dialect.oneOf(sql`state_type`, any, 'text') : always}`;
}

/** The state types of filters without other criteria (all runs: `any` is undefined). Their count is stored. */
function onlyStateTypes(filters: RelatedFilters): { any: readonly string[] | undefined } | undefined {
  const asked = Object.entries(filters).filter(([, filter]) => filter !== null && filter !== undefined);
  const [first] = asked;
  if (!first) return { any: undefined };
  if (asked.length > 1 || first[0] !== 'flow_runs') return undefined;
  const { state, ...others } = first[1] as Record<string, unknown>;
  if (Object.entries(others).some(([name, value]) => name !== 'operator' && value !== null && value !== undefined))
    return undefined;
  const { type, name } = (state ?? {}) as { type?: Record<string, unknown> | null; name?: unknown };
  if (name !== null && name !== undefined) return undefined;
  if (!type) return { any: undefined };
  const { any_, not_any_ } = type as { any_?: string[] | null; not_any_?: string[] | null };
  if (not_any_ && not_any_.length > 0) return undefined;
  return { any: any_ ?? undefined };
}

function orderOf(sort: FlowRunSort, dialect: SqlDialect): Expression {
  switch (sort) {
    case 'START_TIME_ASC':
      return sql`${dialect.orderBy(effectiveStart, 'asc')}, flow_run.id asc`;
    case 'START_TIME_DESC':
      return sql`${dialect.orderBy(effectiveStart, 'desc')}, flow_run.id desc`;
    default:
      return runOrder('flow_run', sort, dialect);
  }
}

/** Undefined when runs may be equal in the order: the reversed order would not reverse such runs. */
function reversedOrderOf(sort: FlowRunSort, dialect: SqlDialect): Expression | undefined {
  switch (sort) {
    case 'ID_DESC':
      return sql`flow_run.id asc`;
    case 'START_TIME_ASC':
      return orderOf('START_TIME_DESC', dialect);
    case 'START_TIME_DESC':
      return orderOf('START_TIME_ASC', dialect);
    default:
      return undefined;
  }
}
