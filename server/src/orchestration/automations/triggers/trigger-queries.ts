import { sql } from 'kysely';
import { rows } from '../../../database/rows.ts';
import { rowOf, statement } from '../../../database/statement.ts';
import type { Db, Tx } from '../../../database/store.ts';
import type { NewRow, Row } from '../../../database/tables/tables.ts';
import { microsecondsOf, type Timestamp } from '../../../values/time.ts';
import { type Bucket, windowTime } from './bucket.ts';
import type { CompiledEventTrigger } from './compile.ts';
import type { BucketKey, Evaluation, HeldRange, StoredBucket } from './evaluation.ts';
import type { StoredFiring } from './firing.ts';
import { type HeldEvent, oldestHeld, stretchesOf } from './held-events.ts';

/** Most held events that one pass reads. */
const MOST_HELD_READ = 20_000;

type BucketRow = Row<'automation_bucket'>;
export type Progress = Row<'automation_progress'>;

export const progresses = rows('automation_progress');

/** Locks the row that one evaluation at a time holds until its transaction ends. Undefined without an automation. */
export const holdProgress = statement<Record<string, never>, Progress>(
  (_query, given, dialect) =>
    sql`select * from automation_progress where "workspace" = ${given.workspace} ${dialect.forUpdate}`,
);

const waitingAction = statement<{ position: number }, { one: number }>(
  (_query, given) => sql`select 1 as one from automation_action
    where "workspace" = ${given.workspace} and state = 'waiting' limit 1 offset ${given.position}`,
);

export const listEnabledAutomations = statement<Record<string, never>, Row<'automation'>>(
  (_query, given) => sql`select * from automation where "workspace" = ${given.workspace} and enabled order by id`,
);

const bucketsOfKeys = statement<{ keys: string }, BucketRow>(
  (_query, given, dialect) => sql`select bucket.*
    from ${dialect.rowsFrom(given.keys, { trigger_id: 'uuid', key_digest: 'text' })} asked
    ${dialect.joinInOrder} automation_bucket bucket on bucket."workspace" = ${given.workspace}
      and bucket.trigger_id = asked.trigger_id and bucket.key_digest = asked.key_digest`,
);

const bucketsToLookAt = statement<{ triggers: string; now: Timestamp; limit: number }, BucketRow>(
  (
    _query,
    given,
    dialect,
  ) => sql`select bucket.* from ${dialect.rowsFrom(given.triggers, { id: 'uuid', threshold: 'integer' })} asked
    ${dialect.joinInOrder} automation_bucket bucket on bucket."workspace" = ${given.workspace}
      and bucket.trigger_id = asked.id and (bucket."end" <= ${given.now} or bucket.count >= asked.threshold)
    order by bucket."start" limit ${given.limit}`,
);

const nextEnds = statement<{ triggers: string; now: Timestamp }, { trigger_id: string; end: Timestamp }>(
  (_query, given, dialect) => sql`select bucket.trigger_id, min(bucket."end") as "end"
    from ${dialect.rowsFrom(given.triggers, { id: 'uuid' })} asked
    ${dialect.joinInOrder} automation_bucket bucket on bucket."workspace" = ${given.workspace}
      and bucket.trigger_id = asked.id and bucket."end" > ${given.now}
    group by bucket.trigger_id`,
);

const upsertBuckets = statement<{ buckets: string }, unknown>((_query, given, dialect) => {
  const kinds = {
    trigger_id: 'uuid',
    key_digest: 'text',
    automation_id: 'uuid',
    bucketing_key: 'text',
    start: 'timestamp',
    end: 'timestamp',
    count: 'integer',
    last_event_id: 'uuid',
    last_ended: 'timestamp',
  } as const;
  const columns = sql.join(Object.keys(kinds).map((name) => sql.id(name)));
  return sql`insert into automation_bucket ("workspace", ${columns})
    select ${dialect.typed(given.workspace, 'integer')}, ${columns} from ${dialect.rowsFrom(given.buckets, kinds)} item
    where true on conflict ("workspace", trigger_id, key_digest) do update set "start" = excluded."start",
      "end" = excluded."end", count = excluded.count, last_event_id = excluded.last_event_id,
      last_ended = excluded.last_ended`;
});

const deleteBuckets = statement<{ keys: string }, unknown>(
  (_query, given, dialect) => sql`delete from automation_bucket where "workspace" = ${given.workspace}
    and (trigger_id, key_digest) in
      (select trigger_id, key_digest from ${dialect.rowsFrom(given.keys, { trigger_id: 'uuid', key_digest: 'text' })} gone)`,
);

/** Deletes buckets that ended before `before`. */
export const sweepBuckets = statement<{ before: Timestamp }, unknown>(
  (_query, given) =>
    sql`delete from automation_bucket where "workspace" = ${given.workspace} and "end" < ${given.before}`,
);

const HELD_KEY = { trigger_id: 'uuid', key_digest: 'text', since: 'timestamp', until: 'timestamp' } as const;

const heldInRanges = statement<
  { ranges: string; limit: number },
  { trigger_id: string; key_digest: string; event_id: string; occurred: Timestamp }
>(
  (_query, given, dialect) => sql`select held.trigger_id, held.key_digest, held.event_id, held.occurred
    from ${dialect.rowsFrom(given.ranges, HELD_KEY)} asked
    ${dialect.joinInOrder} automation_held_event held on held."workspace" = ${given.workspace}
      and held.trigger_id = asked.trigger_id and held.key_digest = asked.key_digest
      and held.occurred >= asked.since and held.occurred < asked.until
    limit ${given.limit}`,
);

const insertHeld = statement<{ events: string; held: Timestamp }, unknown>((_query, given, dialect) => {
  const kinds = {
    trigger_id: 'uuid',
    key_digest: 'text',
    event_id: 'uuid',
    automation_id: 'uuid',
    occurred: 'timestamp',
  } as const;
  const columns = sql.join(Object.keys(kinds).map((name) => sql.id(name)));
  return sql`insert into automation_held_event ("workspace", ${columns}, held)
    select ${dialect.typed(given.workspace, 'integer')}, ${columns}, ${dialect.typed(given.held, 'timestamp')}
    from ${dialect.rowsFrom(given.events, kinds)} item where true on conflict do nothing`;
});

const deleteOldHeld = statement<{ keys: string }, unknown>(
  (_query, given, dialect) => sql`delete from automation_held_event where "workspace" = ${given.workspace} and exists
    (select 1 from ${dialect.rowsFrom(given.keys, { trigger_id: 'uuid', key_digest: 'text', before: 'timestamp' })} asked
      where asked.trigger_id = automation_held_event.trigger_id and asked.key_digest = automation_held_event.key_digest
        and automation_held_event.occurred < asked.before)`,
);

/** Keeps the first and the last events of each stretch. */
const thinHeld = statement<{ stretches: string }, unknown>(
  (_query, given, dialect) => sql`delete from automation_held_event
    where "workspace" = ${given.workspace} and (trigger_id, key_digest, event_id) in
      (select trigger_id, key_digest, event_id from
        (select held.trigger_id, held.key_digest, held.event_id, asked.kept,
            row_number() over (partition by held.trigger_id, held.key_digest, asked.since
              order by held.occurred, held.event_id) as place,
            row_number() over (partition by held.trigger_id, held.key_digest, asked.since
              order by held.occurred desc, held.event_id desc) as place_from_end
          from ${dialect.rowsFrom(given.stretches, { ...HELD_KEY, kept: 'integer' })} asked
          ${dialect.joinInOrder} automation_held_event held on held."workspace" = ${given.workspace}
            and held.trigger_id = asked.trigger_id and held.key_digest = asked.key_digest
            and held.occurred >= asked.since and held.occurred < asked.until) placed
        where place > kept and place_from_end > kept)`,
);

/** Deletes events that were held before `before`, unless a window of theirs is open at `now`. */
export const sweepHeldEvents = statement<{ now: Timestamp; before: Timestamp }, unknown>(
  (_query, given) => sql`delete from automation_held_event where "workspace" = ${given.workspace}
    and held < ${given.before} and not exists
      (select 1 from automation_bucket bucket where bucket.workspace = automation_held_event.workspace
        and bucket.trigger_id = automation_held_event.trigger_id
        and bucket.key_digest = automation_held_event.key_digest and bucket."end" > ${given.now})`,
);

const storedFirings = statement<Record<string, never>, Omit<Row<'automation_child_firing'>, 'firing'>>(
  (_query, given) => sql`select parent_trigger_id, child_trigger_id, fired from automation_child_firing
    where "workspace" = ${given.workspace}`,
);

export const storeFiring = statement<NewRow<'automation_child_firing'>, unknown>((query, given) =>
  query
    .insertInto('automation_child_firing')
    .values(rowOf('automation_child_firing', given))
    .onConflict((conflict) =>
      conflict
        .columns(['workspace', 'parent_trigger_id', 'child_trigger_id'])
        .doUpdateSet({ fired: given.fired, firing: given.firing }),
    ),
);

const eventsById = statement<{ ids: string }, Row<'event'>>(
  (_query, given, dialect) => sql`select event.* from ${dialect.rowsFrom(given.ids, { id: 'uuid' })} asked
    ${dialect.joinInOrder} event on event."workspace" = ${given.workspace} and event.id = asked.id`,
);

/** True once the workspace has had an automation. */
export async function hasTriggers(db: Db): Promise<boolean> {
  return (await progresses.first(db, {})) !== undefined;
}

/** True if more than `most` actions wait to be performed. */
export async function haveManyActions(db: Pick<Tx, 'first'>, most: number): Promise<boolean> {
  return (await db.first(waitingAction, { position: most })) !== undefined;
}

export async function findBuckets(tx: Tx, keys: readonly BucketKey[]): Promise<StoredBucket[]> {
  if (keys.length === 0) return [];
  return (await tx.all(bucketsOfKeys, { keys: keysJson(keys) })).map(storedBucket);
}

/** Buckets of these triggers that ended at or before `now`, or whose threshold is reached, up to `limit`. */
export async function findBucketsToLookAt(
  tx: Tx,
  triggers: readonly CompiledEventTrigger[],
  now: Timestamp,
  limit: number,
): Promise<StoredBucket[]> {
  const asked = triggers.map(({ id, rule }) => ({ id, threshold: rule.threshold }));
  return (await tx.all(bucketsToLookAt, { triggers: JSON.stringify(asked), now, limit })).map(storedBucket);
}

/** The end of the first window after `now`, for each trigger that has one. */
export async function findNextEnds(
  tx: Tx,
  triggers: readonly CompiledEventTrigger[],
  now: Timestamp,
): Promise<Map<string, number>> {
  const rows = await tx.all(nextEnds, { triggers: JSON.stringify(triggers.map(({ id }) => ({ id }))), now });
  return new Map(rows.map(({ trigger_id, end }) => [trigger_id, microsecondsOf(end)]));
}

/** Held events of these keys, up to a limit that no ordinary trigger reaches. */
export async function findHeldEvents(
  tx: Tx,
  ranges: readonly HeldRange[],
): Promise<(HeldEvent & { readonly key: BucketKey })[]> {
  if (ranges.length === 0) return [];
  const keys = new Map(ranges.map(({ key }) => [`${key.trigger_id} ${key.key_digest}`, key]));
  const asked = ranges.map(({ key, since, until }) => heldRange(key, since, until));
  const rows = await tx.all(heldInRanges, { ranges: JSON.stringify(asked), limit: MOST_HELD_READ });
  return rows.flatMap(({ trigger_id, key_digest, event_id, occurred }) => {
    const key = keys.get(`${trigger_id} ${key_digest}`);
    return key ? [{ key, id: event_id, occurred: microsecondsOf(occurred) }] : [];
  });
}

/** Writes the newly held events, and deletes those of their keys that no window needs any more. */
export async function writeHeldEvents(tx: Tx, evaluation: Evaluation, held: Timestamp): Promise<void> {
  const added = evaluation.heldEvents();
  if (added.length === 0) return;
  const events = added.flatMap(({ key, trigger, events: own }) =>
    own.map(({ id, occurred }) => ({
      ...keyColumns(key),
      automation_id: trigger.automation.id,
      event_id: id,
      occurred: windowTime(occurred),
    })),
  );
  await tx.run(insertHeld, { events: JSON.stringify(events), held });
  const keys = added.map(({ key, trigger, events: own }) => ({
    ...keyColumns(key),
    before: windowTime(oldestHeld(trigger, own)),
  }));
  await tx.run(deleteOldHeld, { keys: JSON.stringify(keys) });
  const stretches = added.flatMap(({ key, trigger, events: own }) =>
    stretchesOf(trigger, own).map(({ start, end, kept }) => ({ ...heldRange(key, start, end), kept })),
  );
  await tx.run(thinHeld, { stretches: JSON.stringify(stretches) });
}

export async function writeBuckets(tx: Tx, evaluation: Evaluation): Promise<void> {
  const { kept, gone } = evaluation.changedBuckets();
  if (kept.length > 0) {
    const rows = kept.map(([{ key, trigger }, bucket]) => ({
      ...key,
      automation_id: trigger.automation.id,
      ...bucketColumns(bucket),
    }));
    await tx.run(upsertBuckets, { buckets: JSON.stringify(rows) });
  }
  if (gone.length > 0) await tx.run(deleteBuckets, { keys: keysJson(gone) });
}

export async function listStoredFirings(tx: Tx): Promise<StoredFiring[]> {
  return (await tx.all(storedFirings)).map(({ parent_trigger_id, child_trigger_id, fired }) => ({
    parentId: parent_trigger_id,
    childId: child_trigger_id,
    triggered: microsecondsOf(fired),
  }));
}

export function findEvents(tx: Tx, ids: readonly string[]): Promise<Row<'event'>[]> {
  if (ids.length === 0) return Promise.resolve([]);
  return tx.all(eventsById, { ids: JSON.stringify(ids.map((id) => ({ id }))) });
}

function keysJson(keys: readonly BucketKey[]): string {
  return JSON.stringify(keys.map(keyColumns));
}

function keyColumns({ trigger_id, key_digest }: BucketKey) {
  return { trigger_id, key_digest };
}

function heldRange(key: BucketKey, since: number, until: number) {
  return { ...keyColumns(key), since: windowTime(since), until: windowTime(until) };
}

function bucketColumns({ start, end, count, lastEventId, lastEnded }: Bucket) {
  return {
    start: windowTime(start),
    end: windowTime(end),
    count,
    last_event_id: lastEventId,
    last_ended: lastEnded === null ? null : windowTime(lastEnded),
  };
}

function storedBucket(row: BucketRow): StoredBucket {
  return {
    key: { trigger_id: row.trigger_id, key_digest: row.key_digest, bucketing_key: row.bucketing_key },
    start: microsecondsOf(row.start),
    end: microsecondsOf(row.end),
    count: row.count,
    lastEventId: row.last_event_id,
    lastEnded: row.last_ended === null ? null : microsecondsOf(row.last_ended),
  };
}
