/**
 * Detects runs whose heartbeats stopped, because their process has ended. SDK 3.1.8 and later sends heartbeats, by
 * default every three minutes. A run that never sent one is skipped.
 */

import { sql } from 'kysely';
import type { Context } from '../../../context/context.ts';
import { rows } from '../../../database/rows.ts';
import { statement } from '../../../database/statement.ts';
import type { Tx } from '../../../database/store.ts';
import type { Row } from '../../../database/tables/tables.ts';
import type { EventRecorder } from '../../../events/intake.ts';
import { counted } from '../../../values/counted.ts';
import { isUuid } from '../../../values/id.ts';
import { addSeconds, secondsBetween, type Timestamp } from '../../../values/time.ts';
import { transitionFlowRun } from '../state-machine.ts';
import { oneByOne } from './one-by-one.ts';

/**
 * Intervals without a heartbeat that mean a lost process: 30 s, within 90 s.
 * Source: docs.prefect.io/v3/advanced/detect-zombie-flows.
 */
const MISSED_HEARTBEATS = 3;
/** The shortest interval of the SDK. Closer heartbeats come from two processes and do not give an interval. */
const SHORTEST_INTERVAL_SECONDS = 30;
const BATCH = 200;

const EVENT = 'prefect.flow-run.heartbeat';
const RESOURCE = 'prefect.flow-run.';

type HeartbeatRow = Row<'flow_run_heartbeat'>;

const storedBeats = rows('flow_run_heartbeat');

interface RunningRun {
  readonly id: string;
  readonly state_timestamp: Timestamp;
  readonly last_occurred: Timestamp | null;
  readonly received: Timestamp | null;
  readonly interval_seconds: number | null;
}

const runningRuns = statement<{ ids: string }, RunningRun>(
  (_query, given, dialect) =>
    sql<RunningRun>`select flow_run.id, flow_run.state_timestamp, heartbeat.last_occurred, heartbeat.received,
        heartbeat.interval_seconds
      from flow_run
      left join flow_run_heartbeat heartbeat on heartbeat.workspace = flow_run.workspace
        and heartbeat.flow_run_id = flow_run.id
      where flow_run."workspace" = ${given.workspace} and flow_run.state_type = 'RUNNING'
        and flow_run.id in (select id from ${dialect.rowsFrom(given.ids, { id: 'uuid' })} item)`,
);

// `where true` separates the `on` of the conflict from that of a join.
const upsert = statement<{ heartbeats: string }, unknown>(
  (_query, given, dialect) =>
    sql`insert into flow_run_heartbeat ("workspace", flow_run_id, last_occurred, received, interval_seconds, silent_at)
      select ${dialect.typed(given.workspace, 'integer')}, flow_run_id, last_occurred, received, interval_seconds,
        silent_at
      from ${dialect.rowsFrom(given.heartbeats, {
        flow_run_id: 'uuid',
        last_occurred: 'timestamp',
        received: 'timestamp',
        interval_seconds: 'float',
        silent_at: 'timestamp',
      })} item
      where true on conflict ("workspace", flow_run_id) do update set last_occurred = excluded.last_occurred,
        received = excluded.received, interval_seconds = excluded.interval_seconds, silent_at = excluded.silent_at`,
);

const silentSince = statement<{ now: Timestamp; limit: number }, HeartbeatRow>(
  (_query, given) =>
    sql<HeartbeatRow>`select * from flow_run_heartbeat where "workspace" = ${given.workspace}
      and silent_at <= ${given.now} order by silent_at limit ${given.limit}`,
);

const startOf = statement<{ id: string }, { state_timestamp: Timestamp }>((query, given) =>
  query
    .selectFrom('flow_run')
    .select('state_timestamp')
    .$narrowType<{ state_timestamp: Timestamp }>()
    .where('workspace', '=', given.workspace)
    .where('id', '=', given.id)
    .where('state_type', '=', 'RUNNING'),
);

/** Records the last heartbeat of running runs, in the transaction that stores the events. */
export const recordHeartbeats: EventRecorder = async (tx, events, { now }) => {
  const beats = new Map<string, Timestamp[]>();
  for (const { row } of events) {
    if (row.event !== EVENT || !row.resource_id.startsWith(RESOURCE)) continue;
    const id = row.resource_id.slice(RESOURCE.length).toLowerCase();
    if (!isUuid(id)) continue;
    beats.set(id, [...(beats.get(id) ?? []), row.occurred]);
  }
  if (beats.size > 0) await noteBeats(tx, beats, now);
};

async function noteBeats(tx: Tx, beats: ReadonlyMap<string, readonly Timestamp[]>, now: Timestamp): Promise<void> {
  const ids = JSON.stringify([...beats.keys()].map((id) => ({ id })));
  const runs = await tx.all(runningRuns, { ids });
  const heartbeats = runs.flatMap((run) => {
    const occurred = beats.get(run.id)!.toSorted();
    // A heartbeat that arrives late or twice does not show that the process lives.
    if (run.last_occurred !== null && occurred.at(-1)! <= run.last_occurred) return [];
    const known =
      run.last_occurred !== null && isOfThisStart(run)
        ? { last: run.last_occurred, interval: run.interval_seconds }
        : undefined;
    const { last, interval } = heard(known, occurred);
    // While the interval is unknown, the shortest one decides the time of the next check.
    const silence = MISSED_HEARTBEATS * (interval ?? SHORTEST_INTERVAL_SECONDS);
    return {
      flow_run_id: run.id,
      last_occurred: last,
      received: now,
      interval_seconds: interval,
      silent_at: addSeconds(now, silence),
    };
  });
  // A fixed order, so that two replicas cannot deadlock.
  heartbeats.sort((one, other) => (one.flow_run_id < other.flow_run_id ? -1 : 1));
  if (heartbeats.length > 0) await tx.run(upsert, { heartbeats: JSON.stringify(heartbeats) });
}

/** A restarted run starts a new series of heartbeats, at any time after the previous ones. */
function isOfThisStart({ received, state_timestamp }: Pick<RunningRun, 'received' | 'state_timestamp'>): boolean {
  return received !== null && received > state_timestamp;
}

function heard(known: { last: Timestamp; interval: number | null } | undefined, beats: readonly Timestamp[]) {
  let last = known?.last;
  let interval = known?.interval ?? null;
  for (const occurred of beats) {
    const gap = last === undefined ? 0 : secondsBetween(last, occurred);
    if (gap >= SHORTEST_INTERVAL_SECONDS) interval = gap;
    if (last === undefined || gap > 0) last = occurred;
  }
  return { last: last!, interval };
}

/**
 * Moves running runs whose heartbeats stopped to CRASHED, each once even when several replicas check. The server
 * received nothing before `listeningSince`, so the wait starts then at the earliest. True when more are left.
 */
export async function crashSilentRuns(context: Context, listeningSince: Timestamp): Promise<boolean> {
  const { now } = context;
  const candidates = await context.db.all(silentSince, { now, limit: BATCH });
  const early: (HeartbeatRow & { silent_at: Timestamp })[] = [];
  const silent = new Map<string, HeartbeatRow>();
  for (const row of candidates) {
    const heardAt = row.received > listeningSince ? row.received : listeningSince;
    const silent_at = addSeconds(heardAt, silenceSeconds(context, row));
    if (silent_at > now) early.push({ ...row, silent_at });
    else silent.set(row.flow_run_id, row);
  }
  if (early.length > 0) {
    await context.transaction(async (tx) => {
      for (const { flow_run_id, received, silent_at } of early) {
        await storedBeats.changeAll(tx, { flow_run_id, received }, { silent_at });
      }
    });
  }
  const isDone = await oneByOne(context, [...silent.keys()], (id) => crash(context, silent.get(id)!));
  return isDone && candidates.length === BATCH;
}

function crash(context: Context, row: HeartbeatRow): Promise<void> {
  const { flow_run_id: id, received } = row;
  return context.transaction(async (tx) => {
    await tx.lock('flow_run', id);
    if ((await storedBeats.removeAll(tx, { flow_run_id: id, received })) === 0) return;
    const start = await tx.first(startOf, { id });
    // A new attempt may send no heartbeats.
    if (!start || !isOfThisStart({ ...row, ...start })) return;
    const message = `No heartbeat for ${counted(Math.floor(secondsBetween(received, context.now)), 'second')}, but one was due every ${counted(Math.round(intervalSeconds(context, row)), 'second')}. The server assumes that the process of this flow run is gone.`;
    await transitionFlowRun(context, tx, id, { type: 'CRASHED', message }, false);
  });
}

function silenceSeconds(context: Context, row: HeartbeatRow): number {
  return MISSED_HEARTBEATS * intervalSeconds(context, row);
}

function intervalSeconds(context: Context, row: HeartbeatRow): number {
  return row.interval_seconds ?? context.server.config.heartbeatSeconds;
}
