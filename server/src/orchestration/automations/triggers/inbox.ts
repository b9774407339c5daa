/**
 * The events that triggers have not seen. While a workspace has an enabled automation, the transaction that stores an
 * event also adds it here, and the transaction that evaluates it removes it, so each event is evaluated once.
 */
import { sql } from 'kysely';
import { statement } from '../../../database/statement.ts';
import type { Tx } from '../../../database/store.ts';
import type { Row } from '../../../database/tables/tables.ts';
import type { Resource } from '../../../events/received-event.ts';
import { parseJson } from '../../../values/json.ts';
import { addSeconds, microsecondsOf, type Timestamp } from '../../../values/time.ts';
import type { QueuedEvent } from './evaluation.ts';

/** Most events in a pass. On SQLite a pass blocks other writers, so it is short. */
export const MAX_BATCH = 200;
/** Seconds after which an event no longer waits for the one that it follows. `pass.test.ts` shows it. */
export const LONGEST_WAIT_SECONDS = 900;
const RECENT_SECONDS = LONGEST_WAIT_SECONDS - 60;
/** Steps of a chain of waiting events that one pass follows; a longer chain continues in the next pass. */
const MAX_CHAIN = 20;

type EventRow = Row<'event'>;
interface InboxRow extends EventRow {
  readonly position: number;
  /** Null when the event does not wait for another. */
  readonly queued_follows: string | null;
}

const columns = sql.raw(`queued.position, queued.follows as queued_follows, event.*`);

const oldest = statement<{ limit: number }, InboxRow>(
  (_query, given) => sql`select ${columns} from automation_event queued
    left join event on event.workspace = queued.workspace and event.id = queued.event_id
    where queued."workspace" = ${given.workspace} and queued.waits_until is null
    order by queued.position limit ${given.limit}`,
);

const followersOf = statement<{ ids: string }, InboxRow>(
  (_query, given, dialect) => sql`select ${columns}
    from ${dialect.rowsFrom(given.ids, { id: 'uuid' })} leader
    ${dialect.joinInOrder} automation_event queued on queued."workspace" = ${given.workspace}
      and queued.follows = leader.id and queued.waits_until is not null
    ${dialect.joinInOrder} event on event.workspace = queued.workspace and event.id = queued.event_id
    order by queued.position`,
);

/**
 * Events that no longer need to wait: either they waited too long, or the event that they wait for never came to the
 * inbox, because it was stored just before the first automation. The second case covers only events that started to
 * wait recently.
 */
const overdue = statement<{ now: Timestamp; recent: Timestamp; limit: number }, InboxRow>(
  (_query, given) => sql`select ${columns} from automation_event queued
    left join event on event.workspace = queued.workspace and event.id = queued.event_id
    where queued."workspace" = ${given.workspace} and queued.waits_until is not null and (queued.waits_until <= ${given.now}
      or (queued.waits_until > ${given.recent} and exists (select 1 from event leader where leader.workspace = queued.workspace and leader.id = queued.follows)
        and not exists (select 1 from automation_event before where before.workspace = queued.workspace
          and before.event_id = queued.follows)))
    order by queued.position limit ${given.limit}`,
);

const processed = statement<{ ids: string }, { id: string }>(
  (_query, given, dialect) => sql`select event.id from ${dialect.rowsFrom(given.ids, { id: 'uuid' })} asked
    ${dialect.joinInOrder} event on event."workspace" = ${given.workspace} and event.id = asked.id
    where not exists (select 1 from automation_event queued
      where queued.workspace = event.workspace and queued.event_id = event.id)`,
);

const putOff = statement<{ positions: string; until: Timestamp }, unknown>(
  (_query, given, dialect) => sql`update automation_event set waits_until = ${dialect.typed(given.until, 'timestamp')}
    where "workspace" = ${given.workspace} and position in
      (select position from ${dialect.rowsFrom(given.positions, { position: 'integer' })} taken)`,
);

const takeOut = statement<{ positions: string }, unknown>(
  (_query, given, dialect) => sql`delete from automation_event
    where "workspace" = ${given.workspace} and position in
      (select position from ${dialect.rowsFrom(given.positions, { position: 'integer' })} taken)`,
);

interface Batch {
  /** The events in the order in which triggers evaluate them. */
  readonly events: readonly QueuedEvent[];
  readonly rows: ReadonlyMap<string, InboxRow>;
  /** False when more may be waiting. */
  readonly isLast: boolean;
  /** The latest time of an event in the batch. */
  readonly lastOccurred: Timestamp | undefined;
}

/**
 * Removes the oldest events, at most `limit`, each after the one that it follows. With `isTick`, it also removes those
 * whose wait ended. The caller's transaction writes the effects of the events.
 */
export async function takeBatch(tx: Tx, now: Timestamp, isTick: boolean, limit: number): Promise<Batch> {
  const taken = await tx.all(oldest, { limit });
  const early = await tooEarly(tx, taken, now);
  if (early.size > 0) await tx.run(putOff, positionsOf([...early], addSeconds(now, LONGEST_WAIT_SECONDS)));
  const ready = taken.filter((row) => !early.has(row));
  if (isTick) ready.push(...(await tx.all(overdue, { now, limit, recent: addSeconds(now, RECENT_SECONDS) })));
  await addFollowers(tx, ready);
  if (ready.length > 0) await tx.run(takeOut, positionsOf(ready));
  const stored = ready.filter(({ id }) => id !== null);
  const rows = new Map(inOrder(stored).map((row) => [row.id, row]));
  return {
    events: [...rows.values()].map(queuedEvent),
    rows,
    isLast: taken.length < limit,
    lastOccurred: stored.reduce<Timestamp | undefined>(
      (last, { occurred }) => (last === undefined || occurred > last ? occurred : last),
      undefined,
    ),
  };
}

function positionsOf(rows: readonly InboxRow[], until: Timestamp = '' as Timestamp) {
  return { positions: JSON.stringify(rows.map(({ position }) => ({ position }))), until };
}

/** Rows whose leader is neither in `rows` nor processed. */
async function tooEarly(tx: Tx, rows: readonly InboxRow[], now: Timestamp): Promise<Set<InboxRow>> {
  const here = new Set(rows.map(({ id }) => id));
  const oldestLeader = addSeconds(now, -LONGEST_WAIT_SECONDS);
  const asking = rows.filter(
    ({ queued_follows, received }) => queued_follows !== null && !here.has(queued_follows) && received > oldestLeader,
  );
  if (asking.length === 0) return new Set();
  const ids = [...new Set(asking.map(({ queued_follows }) => queued_follows))];
  const done = new Set(
    (await tx.all(processed, { ids: JSON.stringify(ids.map((id) => ({ id }))) })).map(({ id }) => id),
  );
  return new Set(asking.filter(({ queued_follows }) => !done.has(queued_follows as string)));
}

/** Adds the waiting events that follow those in `rows`, and those that follow these. */
async function addFollowers(tx: Tx, rows: InboxRow[]): Promise<void> {
  const seen = new Set(rows.map(({ position }) => position));
  let leaders: readonly InboxRow[] = rows;
  for (let depth = 0; depth < MAX_CHAIN && leaders.length > 0; depth++) {
    const ids = JSON.stringify(leaders.map(({ id }) => ({ id })));
    leaders = (await tx.all(followersOf, { ids })).filter(({ position }) => !seen.has(position));
    for (const row of leaders) seen.add(row.position);
    rows.push(...leaders);
  }
}

/** Orders by position, but each event after the one that it follows; a circle is cut at its first event. */
function inOrder(rows: readonly InboxRow[]): InboxRow[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const placed = new Set<string>();
  const ordered: InboxRow[] = [];
  for (const row of rows.toSorted((one, other) => one.position - other.position)) {
    const chain: InboxRow[] = [];
    const inChain = new Set<string>();
    let next: InboxRow | undefined = row;
    while (next && !placed.has(next.id) && !inChain.has(next.id)) {
      chain.push(next);
      inChain.add(next.id);
      next = next.queued_follows === null ? undefined : byId.get(next.queued_follows);
    }
    for (const one of chain.reverse()) {
      placed.add(one.id);
      ordered.push(one);
    }
  }
  return ordered;
}

function queuedEvent(row: InboxRow): QueuedEvent {
  return {
    id: row.id,
    occurred: microsecondsOf(row.occurred),
    name: row.event,
    resource: parseJson(row.resource) as Resource,
    related: parseJson(row.related) as readonly Resource[],
  };
}
