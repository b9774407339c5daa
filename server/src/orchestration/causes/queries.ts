import { type RawBuilder, sql } from 'kysely';
import { always, type Condition } from '../../database/dialect/dialect.ts';
import { rows } from '../../database/rows.ts';
import { statement } from '../../database/statement.ts';
import type { Db, Tx } from '../../database/store.ts';
import type { Row } from '../../database/tables/tables.ts';
import { daysOf, type Shelf, standingOf, standsIn } from '../../recurrence/recurrence.ts';
import { parseJson } from '../../values/json.ts';
import type { Timestamp } from '../../values/time.ts';
import { partOf, repeats } from '../why/failures.ts';
import type { FailedVersion } from './schema.ts';

export type CauseRow = Row<'failure_cause'>;

export const causes = rows('failure_cause');

/** Characters of a name or a message that a list shows. */
export const SHOWN = 300;

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
  /** Null if the last run was deleted. */
  readonly found_run_id: string | null;
  readonly last_flow_name: string | null;
}

interface Chosen {
  readonly condition: Condition;
  readonly order: RawBuilder<unknown>;
  readonly limit: number;
}

const newestFirst = sql`failure_cause.last_seen desc, failure_cause.id desc`;

function listCauses(db: Db, { condition, order, limit }: Chosen): Promise<ListedCause[]> {
  return db.query(
    sql<ListedCause>`select failure_cause.*, substr(flow.name, 1, ${sql.lit(SHOWN)}) as flow_name,
        flow_run.id as found_run_id, substr(top.name, 1, ${sql.lit(SHOWN)}) as last_flow_name
      from (select * from failure_cause where failure_cause."workspace" = ${db.workspace} and ${condition}
        order by ${order} limit ${limit}) failure_cause
      join flow on flow.workspace = failure_cause.workspace and flow.id = failure_cause.flow_id
      left join flow_run on flow_run.workspace = failure_cause.workspace and flow_run.id = failure_cause.last_run_id
      left join flow top on top.workspace = flow_run.workspace and top.id = flow_run.flow_id
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

function causeOfRow({ found_run_id, ...row }: ListedCause, now: Timestamp) {
  const standing = standingOf(row, now);
  return { ...row, last_run_id: found_run_id, standing, days: daysOf(row.days), versions: versionsOf(row) };
}

export function versionsOf({ versions }: Pick<CauseRow, 'versions'>): FailedVersion[] {
  return parseJson(versions) as FailedVersion[];
}

/** A failure of a run, with the run. */
export interface Failure {
  readonly id: string;
  readonly timestamp: Timestamp;
  readonly state_type: string;
  readonly state_name: string;
  readonly message: string | null;
  readonly flow_run_id: string;
  readonly name: string;
  readonly flow_id: string;
  readonly flow_name: string;
  readonly version: string | null;
  readonly cause_id: string | null;
  /** The earlier failure of the same run that it repeats, else that of the parent; null for one that counts. */
  readonly belongs_to: string | null;
}

/** Characters of a message from which its cause is read. */
const READ_OF_MESSAGE = 10_000;
/** Failures of subflows that are compared with that of their parent. */
const MOST_PARTS = 100;

const failureColumns = sql`failure.id, failure.timestamp, failure.cause_id, failure.flow_run_id, flow_run.name,
  flow_run.flow_id, substr(flow.name, 1, ${sql.lit(SHOWN)}) as flow_name,
  state.type as state_type, state.name as state_name,
  substr(coalesce(flow_run.deployment_version, flow_run.flow_version), 1, 100) as version,
  substr(state.message, 1, ${sql.lit(READ_OF_MESSAGE)}) as message`;
const failureJoins = sql`join flow_run on flow_run.workspace = failure.workspace and flow_run.id = failure.flow_run_id
  join flow on flow.workspace = flow_run.workspace and flow.id = flow_run.flow_id
  join flow_run_state state on state.workspace = failure.workspace and state.id = failure.id
  left join task_run parent on parent.workspace = flow_run.workspace and parent.id = flow_run.parent_task_run_id`;

/** The failures that have no cause yet, oldest first. */
export const unsortedFailures = statement<{ limit: number }, Failure>(
  (_query, given) =>
    sql<Failure>`select ${failureColumns}, coalesce(${repeats}, ${partOf}) as belongs_to
      from (select * from failure where failure."workspace" = ${given.workspace} and failure.cause_id is null
        order by failure.timestamp, failure.id limit ${given.limit}) failure
      ${failureJoins} order by failure.timestamp, failure.id`,
);

/** A failure by the id of its state. */
export const failureOfState = statement<{ id: string }, Failure>(
  (_query, given) =>
    sql<Failure>`select ${failureColumns}, coalesce(${repeats}, ${partOf}) as belongs_to
      from flow_run_state kept
      join failure on failure.workspace = kept.workspace and failure.flow_run_id = kept.flow_run_id
        and failure.id = kept.id
      ${failureJoins} where kept."workspace" = ${given.workspace} and kept.id = ${given.id}`,
);

/** The failures of subflows that belong to the failure of a run, oldest first. */
export const partsOfFailure = statement<{ flow_run_id: string; id: string }, Failure>(
  (_query, given) =>
    sql<Failure>`select ${failureColumns}, ${given.id} as belongs_to
      from task_run child
      join flow_run sub on sub.workspace = child.workspace and sub.parent_task_run_id = child.id
      join failure on failure.workspace = sub.workspace and failure.flow_run_id = sub.id
      ${failureJoins}
      where child."workspace" = ${given.workspace} and child.flow_run_id = ${given.flow_run_id}
        and ${partOf} = ${given.id}
      order by failure.timestamp, failure.id limit ${sql.lit(MOST_PARTS)}`,
);

const failures = rows('failure');

/** Undefined if it has one, or is gone. */
export function giveCause(
  tx: Tx,
  { flow_run_id, id, belongs_to }: Failure,
  cause_id: string,
): Promise<Row<'failure'> | undefined> {
  return failures.change(tx, { flow_run_id, id, cause_id: null }, { cause_id, part_of: belongs_to });
}

/** Makes a failure a part of another. Undefined if it was a part already. */
export function makePart(tx: Tx, { flow_run_id, id, belongs_to }: Failure): Promise<Row<'failure'> | undefined> {
  return failures.change(tx, { flow_run_id, id, part_of: null }, { part_of: belongs_to });
}
