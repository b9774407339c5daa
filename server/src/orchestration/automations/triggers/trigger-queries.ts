import { sql } from 'kysely';
import { statement } from '../../../database/statement.ts';
import type { Tx } from '../../../database/store.ts';
import type { Row } from '../../../database/tables.ts';
import type { JsonText } from '../../../json.ts';
import { microsecondsOf, type Timestamp } from '../../../time.ts';
import { type Bucket, windowTime } from './bucket.ts';
import type { BucketKey, Evaluation, StoredBucket } from './evaluation.ts';
import type { StoredFiring } from './firing.ts';

type BucketRow = Row<'automation_bucket'>;
export type Progress = Row<'automation_progress'>;

const progressRow = statement<Record<string, never>, Progress>(
  (_query, given, dialect) =>
    sql`select * from automation_progress where "workspace" = ${given.workspace} ${dialect.forUpdate}`,
);

const hasProgress = statement<Record<string, never>, { one: number }>(
  (_query, given) => sql`select 1 as one from automation_progress where "workspace" = ${given.workspace}`,
);

const waitingAction = statement<{ position: number }, { one: number }>(
  (_query, given) => sql`select 1 as one from automation_action
    where "workspace" = ${given.workspace} and state = 'waiting' limit 1 offset ${given.position}`,
);

const moveClock = statement<{ last_occurred: Timestamp; last_seen: Timestamp }, unknown>((query, given) =>
  query
    .updateTable('automation_progress')
    .set({ last_occurred: given.last_occurred, last_seen: given.last_seen })
    .where('workspace', '=', given.workspace),
);

const enabledAutomations = statement<Record<string, never>, Row<'automation'>>(
  (_query, given) => sql`select * from automation where "workspace" = ${given.workspace} and enabled order by id`,
);

const bucketsOfKeys = statement<{ keys: string }, BucketRow>(
  (_query, given, dialect) => sql`select bucket.*
    from ${dialect.rowsFrom(given.keys, { trigger_id: 'uuid', key_digest: 'text' })} asked
    ${dialect.joinInOrder} automation_bucket bucket on bucket."workspace" = ${given.workspace}
      and bucket.trigger_id = asked.trigger_id and bucket.key_digest = asked.key_digest`,
);

const bucketsOver = statement<{ ids: string; now: Timestamp; limit: number }, BucketRow>(
  (_query, given, dialect) => sql`select bucket.* from ${dialect.rowsFrom(given.ids, { id: 'uuid' })} asked
    ${dialect.joinInOrder} automation_bucket bucket on bucket."workspace" = ${given.workspace}
      and bucket.trigger_id = asked.id and bucket."end" <= ${given.now} limit ${given.limit}`,
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
  } as const;
  const columns = sql.join(Object.keys(kinds).map((name) => sql.id(name)));
  return sql`insert into automation_bucket ("workspace", ${columns})
    select ${dialect.typed(given.workspace, 'integer')}, ${columns} from ${dialect.rowsFrom(given.buckets, kinds)} item
    where true on conflict ("workspace", trigger_id, key_digest) do update set "start" = excluded."start",
      "end" = excluded."end", count = excluded.count, last_event_id = excluded.last_event_id`;
});

const deleteBuckets = statement<{ keys: string }, unknown>(
  (_query, given, dialect) => sql`delete from automation_bucket where "workspace" = ${given.workspace}
    and (trigger_id, key_digest) in
      (select trigger_id, key_digest from ${dialect.rowsFrom(given.keys, { trigger_id: 'uuid', key_digest: 'text' })} gone)`,
);

const sweepBuckets = statement<{ before: Timestamp }, unknown>(
  (_query, given) =>
    sql`delete from automation_bucket where "workspace" = ${given.workspace} and "end" < ${given.before}`,
);

const storedFirings = statement<Record<string, never>, Omit<Row<'automation_child_firing'>, 'firing'>>(
  (_query, given) => sql`select parent_trigger_id, child_trigger_id, fired from automation_child_firing
    where "workspace" = ${given.workspace}`,
);

const firingText = statement<{ parent: string; child: string }, { firing: JsonText }>(
  (_query, given) => sql`select firing from automation_child_firing where "workspace" = ${given.workspace}
    and parent_trigger_id = ${given.parent} and child_trigger_id = ${given.child}`,
);

const upsertFiring = statement<Omit<Row<'automation_child_firing'>, 'workspace'>, unknown>((query, given) =>
  query
    .insertInto('automation_child_firing')
    .values({
      workspace: given.workspace,
      parent_trigger_id: given.parent_trigger_id,
      child_trigger_id: given.child_trigger_id,
      automation_id: given.automation_id,
      fired: given.fired,
      firing: given.firing,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['workspace', 'parent_trigger_id', 'child_trigger_id'])
        .doUpdateSet({ fired: given.fired, firing: given.firing }),
    ),
);

const deleteFiring = statement<{ parent: string; child: string }, unknown>((query, given) =>
  query
    .deleteFrom('automation_child_firing')
    .where('workspace', '=', given.workspace)
    .where('parent_trigger_id', '=', given.parent)
    .where('child_trigger_id', '=', given.child),
);

const eventsById = statement<{ ids: string }, Row<'event'>>(
  (_query, given, dialect) => sql`select event.* from ${dialect.rowsFrom(given.ids, { id: 'uuid' })} asked
    ${dialect.joinInOrder} event on event."workspace" = ${given.workspace} and event.id = asked.id`,
);

/** True once the workspace has had an automation. */
export async function hasTriggers(db: Pick<Tx, 'first'>): Promise<boolean> {
  return (await db.first(hasProgress)) !== undefined;
}

/** Whether more than `most` actions wait to be carried out. */
export async function haveManyActions(db: Pick<Tx, 'first'>, most: number): Promise<boolean> {
  return (await db.first(waitingAction, { position: most })) !== undefined;
}

/** Locks the row that one evaluation at a time holds until its transaction ends. Undefined without any automation. */
export function holdProgress(tx: Tx): Promise<Progress | undefined> {
  return tx.first(progressRow);
}

export async function setClock(tx: Tx, last_occurred: Timestamp, last_seen: Timestamp): Promise<void> {
  await tx.run(moveClock, { last_occurred, last_seen });
}

export function listEnabledAutomations(tx: Tx): Promise<Row<'automation'>[]> {
  return tx.all(enabledAutomations);
}

export async function findBuckets(tx: Tx, keys: readonly BucketKey[]): Promise<StoredBucket[]> {
  if (keys.length === 0) return [];
  return (await tx.all(bucketsOfKeys, { keys: keysJson(keys) })).map(storedBucket);
}

/** Buckets of the triggers that ended at or before `now`, up to `limit`. */
export async function findBucketsOver(
  tx: Tx,
  trigger_ids: readonly string[],
  now: Timestamp,
  limit: number,
): Promise<StoredBucket[]> {
  if (trigger_ids.length === 0) return [];
  const ids = JSON.stringify(trigger_ids.map((id) => ({ id })));
  return (await tx.all(bucketsOver, { ids, now, limit })).map(storedBucket);
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

export async function sweep(tx: Tx, before: Timestamp): Promise<void> {
  await tx.run(sweepBuckets, { before });
}

export async function listStoredFirings(tx: Tx): Promise<StoredFiring[]> {
  return (await tx.all(storedFirings)).map(({ parent_trigger_id, child_trigger_id, fired }) => ({
    parentId: parent_trigger_id,
    childId: child_trigger_id,
    triggered: microsecondsOf(fired),
  }));
}

export async function findFiringText(tx: Tx, { parentId, childId }: StoredFiring): Promise<JsonText | undefined> {
  return (await tx.first(firingText, { parent: parentId, child: childId }))?.firing;
}

export async function storeFiring(tx: Tx, row: Omit<Row<'automation_child_firing'>, 'workspace'>): Promise<void> {
  await tx.run(upsertFiring, row);
}

export async function dropFiring(tx: Tx, { parentId, childId }: StoredFiring): Promise<void> {
  await tx.run(deleteFiring, { parent: parentId, child: childId });
}

export function findEvents(tx: Tx, ids: readonly string[]): Promise<Row<'event'>[]> {
  if (ids.length === 0) return Promise.resolve([]);
  return tx.all(eventsById, { ids: JSON.stringify(ids.map((id) => ({ id }))) });
}

function keysJson(keys: readonly BucketKey[]): string {
  return JSON.stringify(keys.map(({ trigger_id, key_digest }) => ({ trigger_id, key_digest })));
}

function bucketColumns({ start, end, count, lastEventId }: Bucket) {
  return { start: windowTime(start), end: windowTime(end), count, last_event_id: lastEventId };
}

function storedBucket(row: BucketRow): StoredBucket {
  return {
    key: { trigger_id: row.trigger_id, key_digest: row.key_digest, bucketing_key: row.bucketing_key },
    start: microsecondsOf(row.start),
    end: microsecondsOf(row.end),
    count: row.count,
    lastEventId: row.last_event_id,
  };
}
