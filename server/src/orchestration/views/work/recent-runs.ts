/** The last and the next runs of flows and deployments, a few of each, however many there are. */
import { sql } from 'kysely';
import type { SqlDialect } from '../../../database/dialect/dialect.ts';
import { statement } from '../../../database/statement.ts';
import type { Db } from '../../../database/store.ts';
import { DateTime, described, Nullable, Shape, type Static, Type, Uuid } from '../../../schema/kinds.ts';
import type { Timestamp } from '../../../values/time.ts';
import { StateType } from '../../filters/field-schema.ts';
import { estimatedRunTime } from '../../runs/rows/derived-columns.ts';

export const RunBar = Shape(
  'RunBar',
  {
    id: Uuid(),
    name: Type.String(),
    state_type: Nullable(StateType),
    state_name: Nullable(Type.String()),
    start: described(Nullable(DateTime()), 'The start, or the expected start of a run that has not started.'),
    run_time: described(Type.Number(), 'Seconds in Running, including the current period.'),
  },
  'ignore',
);
export type RunBar = Static<typeof RunBar>;

export const NextRun = Shape('NextRun', { id: Uuid(), name: Type.String(), start: DateTime() }, 'ignore');

export const NextStart = Shape(
  'NextStart',
  {
    id: described(Nullable(Uuid()), 'The run; null if a schedule says when, and the run is not made yet.'),
    name: Nullable(Type.String()),
    start: DateTime(),
  },
  'ignore',
);

interface Asked {
  readonly ids: string;
  readonly now: Timestamp;
  readonly most: number;
}

interface FoundRun {
  readonly parent_id: string;
  readonly id: string;
  readonly name: string;
  readonly state_type: StateType | null;
  readonly state_name: string | null;
  readonly start: Timestamp | null;
}

/** Each query reads an index of its own. */
const parents = {
  flow: { column: sql`run.flow_id`, time: sql`coalesce(run.start_time, run.expected_start_time)` },
  deployment: { column: sql`run.deployment_id`, time: sql`run.expected_start_time` },
};
type Parent = keyof typeof parents;

const columns = sql`asked.id as parent_id, flow_run.id, flow_run.name, flow_run.state_type, flow_run.state_name,
  flow_run.state_timestamp, flow_run.start_time, flow_run.end_time, flow_run.total_run_time,
  coalesce(flow_run.start_time, flow_run.expected_start_time) as start`;

function lastRuns({ column, time }: (typeof parents)[Parent]) {
  return statement<Asked, FoundRun>((_query, given, dialect) => {
    const found = sql`select run.id from flow_run run where run."workspace" = ${given.workspace} and ${column} = asked.id
      and ${time} <= ${given.now} order by ${dialect.orderBy(time, 'desc')} limit ${given.most}`;
    return sql<FoundRun>`select ${columns} from ${asked(dialect, given.ids)}
      ${dialect.joinInOrder} flow_run on flow_run."workspace" = ${given.workspace}
        and ${dialect.isAmong(sql`flow_run.id`, found)}
      order by ${dialect.orderBy(sql`coalesce(flow_run.start_time, flow_run.expected_start_time)`, 'desc')}`;
  });
}

function nextRuns({ column, time }: (typeof parents)[Parent]) {
  return statement<Omit<Asked, 'most'>, FoundRun>((_query, given, dialect) => {
    const found = sql`select run.id from flow_run run where run."workspace" = ${given.workspace} and ${column} = asked.id
      and ${time} > ${given.now} and run.state_type = 'SCHEDULED' order by ${dialect.orderBy(time, 'asc')} limit 1`;
    return sql<FoundRun>`select ${columns} from ${asked(dialect, given.ids)}
      ${dialect.joinInOrder} flow_run on flow_run."workspace" = ${given.workspace}
        and ${dialect.isAmong(sql`flow_run.id`, found)}`;
  });
}

function asked(dialect: SqlDialect, ids: unknown) {
  return sql`${dialect.rowsFrom(ids, { id: 'uuid' })} asked`;
}

const last = { flow: lastRuns(parents.flow), deployment: lastRuns(parents.deployment) };
const next = { flow: nextRuns(parents.flow), deployment: nextRuns(parents.deployment) };

/** Up to `most` runs that were due by now, by the id of their flow or deployment, newest first. */
export async function listLastRuns(db: Db, parent: Parent, ids: readonly string[], most: number, now: Timestamp) {
  const rows = ids.length === 0 ? [] : await db.all(last[parent], { ids: rowsOf(ids), now, most });
  const bars = rows.map((row) => ({ ...row, run_time: estimatedRunTime(row as never, now) }));
  return Map.groupBy(bars, ({ parent_id }) => parent_id);
}

/** The next run that is due after now, by the id of its flow or deployment. */
export async function findNextRuns(db: Db, parent: Parent, ids: readonly string[], now: Timestamp) {
  const rows = ids.length === 0 ? [] : await db.all(next[parent], { ids: rowsOf(ids), now });
  return new Map(rows.map((row) => [row.parent_id, row]));
}

export function rowsOf(ids: readonly string[]): string {
  return JSON.stringify(ids.map((id) => ({ id })));
}
