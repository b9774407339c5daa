import { sql } from 'kysely';
import { always, type Condition } from '../../database/dialect/dialect.ts';
import { rows } from '../../database/rows.ts';
import { statement } from '../../database/statement.ts';
import type { Db, Tx } from '../../database/store.ts';
import type { Row } from '../../database/tables/tables.ts';
import { daysOf, type Shelf, standingOf, standsIn } from '../../recurrence/recurrence.ts';
import { parseJson } from '../../values/json.ts';
import type { Timestamp } from '../../values/time.ts';
import type { FailedVersion } from './schema.ts';

export type CauseRow = Row<'failure_cause'>;

export const causes = rows('failure_cause');

/** Characters of a name or a message that a list shows. */
const SHOWN = 300;

/** Locks the row until the transaction ends. */
export const lockCause = statement<{ id: string }, CauseRow>((query, given, dialect) =>
  query
    .selectFrom('failure_cause')
    .selectAll()
    .where('workspace', '=', given.workspace)
    .where('id', '=', given.id)
    .modifyEnd(dialect.forUpdate),
);

interface ListedCause extends CauseRow {
  readonly flow_name: string;
  readonly last_run_name: string | null;
  readonly last_message: string | null;
}

interface Chosen {
  readonly condition: Condition;
  readonly order: ReturnType<typeof sql>;
  readonly limit: number;
}

const newestFirst = sql`failure_cause.last_seen desc, failure_cause.id desc`;

function listCauses(db: Db, { condition, order, limit }: Chosen): Promise<ListedCause[]> {
  const short = (column: string) => sql`substr(${sql.ref(column)}, 1, ${sql.lit(SHOWN)})`;
  return db.query(
    sql<ListedCause>`select failure_cause.*, ${short('flow.name')} as flow_name,
        ${short('flow_run.name')} as last_run_name, ${short('state.message')} as last_message
      from (select * from failure_cause where failure_cause."workspace" = ${db.workspace} and ${condition}
        order by ${order} limit ${limit}) failure_cause
      join flow on flow.workspace = failure_cause.workspace and flow.id = failure_cause.flow_id
      left join flow_run on flow_run.workspace = failure_cause.workspace and flow_run.id = failure_cause.last_run_id
      left join flow_run_state state on state.workspace = flow_run.workspace and state.id = flow_run.state_id
        and state.type in ('FAILED', 'CRASHED')
      order by ${order}`,
    { recurs: true },
  );
}

interface CausesAsked {
  readonly shelf: Shelf;
  readonly owner_id?: string | null | undefined;
  readonly flow_id?: string | null | undefined;
  readonly limit: number;
  readonly after?: { readonly last_seen: Timestamp; readonly id: string } | null | undefined;
}

/** A page of causes, those that came last first. */
export async function readCausePage(
  { db, now }: { readonly db: Db; readonly now: Timestamp },
  { shelf, owner_id, flow_id, limit, after }: CausesAsked,
) {
  const found = await listCauses(db, {
    condition: sql<boolean>`${standsIn('failure_cause', shelf, now)}
      and ${owner_id ? sql`failure_cause.owner_id = ${owner_id}` : always}
      and ${flow_id ? sql`failure_cause.flow_id = ${flow_id}` : always}
      and ${after ? sql`(failure_cause.last_seen, failure_cause.id) < (${after.last_seen}, ${after.id})` : always}`,
    order: newestFirst,
    limit: limit + 1,
  });
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  return {
    as_of: now,
    causes: page.map((row) => causeOfRow(row, now)),
    next: last ? { last_seen: last.last_seen, id: last.id } : null,
  };
}

/** The open causes that came since a time, those that came back first, then the new ones; and how many there are. */
export async function readOpenCauses(
  { db, now }: { readonly db: Db; readonly now: Timestamp },
  { since, newSince, limit }: { readonly since: Timestamp; readonly newSince: Timestamp; readonly limit: number },
) {
  const condition = sql<boolean>`(failure_cause.last_seen >= ${since} and ${standsIn('failure_cause', 'open', now)})`;
  const order = sql`case when failure_cause.regressed is not null then 0
    when failure_cause.first_seen > ${newSince} then 1 else 2 end, ${newestFirst}`;
  const [listed, [counted]] = await Promise.all([
    listCauses(db, { condition, order, limit }),
    db.query(
      sql<{ count: number }>`select count(*) as count from failure_cause
        where failure_cause."workspace" = ${db.workspace} and ${condition}`,
      { recurs: true },
    ),
  ]);
  return { causes: listed.map((row) => causeOfRow(row, now)), count: counted?.count ?? 0 };
}

/** Undefined when there is none. */
export async function findCause({ db, now }: { readonly db: Db; readonly now: Timestamp }, id: string) {
  const [row] = await listCauses(db, { condition: sql`failure_cause.id = ${id}`, order: newestFirst, limit: 1 });
  return row && causeOfRow(row, now);
}

function causeOfRow(row: ListedCause, now: Timestamp) {
  const standing = standingOf(row, now);
  return { ...row, standing, days: daysOf(row.days), versions: versionsOf(row) };
}

export function versionsOf({ versions }: Pick<CauseRow, 'versions'>): FailedVersion[] {
  return parseJson(versions) as FailedVersion[];
}

/** Failures that no cause has yet, with their runs. */
export interface UnsortedFailure {
  readonly id: string;
  readonly timestamp: Timestamp;
  readonly message: string | null;
  readonly flow_run_id: string;
  readonly name: string;
  readonly flow_id: string;
  readonly flow_name: string;
  readonly run_count: number;
  /** False if the run has another state by now. */
  readonly is_current: boolean;
  readonly state_type: string | null;
  readonly version: string | null;
}

/** Characters of a message from which its cause is read. */
const READ_OF_MESSAGE = 10_000;

export const unsortedFailures = statement<{ limit: number }, UnsortedFailure>(
  (_query, given) =>
    sql<UnsortedFailure>`select failure.id, failure.timestamp, failure.flow_run_id, flow_run.name, flow_run.flow_id,
        substr(flow.name, 1, ${sql.lit(SHOWN)}) as flow_name, flow_run.run_count,
        coalesce(flow_run.state_id = failure.id, false) as is_current, flow_run.state_type,
        substr(coalesce(flow_run.deployment_version, flow_run.flow_version), 1, 100) as version,
        substr(state.message, 1, ${sql.lit(READ_OF_MESSAGE)}) as message
      from (select * from failure where failure."workspace" = ${given.workspace} and failure.cause_id is null
        order by failure.timestamp, failure.id limit ${given.limit}) failure
      join flow_run on flow_run.workspace = failure.workspace and flow_run.id = failure.flow_run_id
      join flow on flow.workspace = flow_run.workspace and flow.id = flow_run.flow_id
      left join flow_run_state state on state.workspace = failure.workspace and state.id = failure.id
      order by failure.timestamp, failure.id`,
);

/** Gives failures their cause. Returns the ids of those that had none. */
export async function sortFailures(
  tx: Tx,
  cause_id: string,
  failures: readonly { readonly id: string; readonly flow_run_id: string; readonly follows: string | null }[],
): Promise<ReadonlySet<string>> {
  const taken = new Set<string>();
  for (const { id, flow_run_id, follows } of failures) {
    const row = await failuresOfRuns.change(
      tx,
      { flow_run_id, id, cause_id: null },
      { cause_id, follows_run_id: follows },
    );
    if (row) taken.add(row.id);
  }
  return taken;
}

const failuresOfRuns = rows('failure');

export const countCauses = statement<Record<never, never>, { count: number }>(
  (_query, given) =>
    sql<{
      count: number;
    }>`select count(*) as count from failure_cause where failure_cause."workspace" = ${given.workspace}`,
);
