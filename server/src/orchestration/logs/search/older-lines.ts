/** Indexes the lines that were stored before the index, newest first, and deletes an index that is not wanted any more. */
import { sql } from 'kysely';
import type { Context } from '../../../context/context.ts';
import { deletionOfSome } from '../../../database/delete-found.ts';
import { deleteConfiguration, findConfiguration, putConfiguration } from '../../../database/opening/configuration.ts';
import { statement } from '../../../database/statement.ts';
import type { Db } from '../../../database/store.ts';
import type { Row } from '../../../database/tables/tables.ts';
import { LAST_ID } from '../../../values/id.ts';
import { jsonTextOf } from '../../../values/json.ts';
import type { Timestamp } from '../../../values/time.ts';
import { endOfBatch, INDEXED_CHARACTERS, indexLines, keepsWords } from './blocks.ts';
import type { LogPosition } from './lines.ts';

const KEY = 'log_index';
/** Each batch blocks other writers for a few milliseconds. */
const LINES = 200;
const BLOCKS = 200;
const END_OF_TIME = '9999-12-31T23:59:59.999999Z' as Timestamp;

interface Progress {
  /** Lines that were stored from this time on are indexed with their arrival. */
  readonly began: Timestamp;
  /** Older lines beyond this position are not indexed yet; null when all are. */
  readonly position: LogPosition | null;
}

type Line = Pick<Row<'log'>, 'id' | 'level' | 'message' | 'timestamp' | 'flow_run_id'>;

const olderLines = statement<LogPosition & { began: Timestamp; limit: number; characters: number }, Line>(
  (_query, given) =>
    sql`select id, level, substr(message, 1, ${given.characters}) as message, timestamp, flow_run_id from log
      where "workspace" = ${given.workspace} and (timestamp, id) < (${given.timestamp}, ${given.id})
        and created < ${given.began} order by timestamp desc, id desc limit ${given.limit}`,
);

const deleteSome = deletionOfSome<object>('log_block', 'number', () => sql`limit ${sql.lit(BLOCKS)}`);

/** One batch. Replicas may index the same lines, which are found once all the same. True if more is left. */
export async function advanceLogIndex(context: Context): Promise<boolean> {
  return keepsWords(context.server) ? indexOlderLines(context) : deleteIndex(context);
}

/** The time from which on all lines are indexed; null if all are. */
export async function indexedSince(db: Db): Promise<Timestamp | null> {
  return (await findProgress(db))?.position?.timestamp ?? null;
}

async function indexOlderLines(context: Context): Promise<boolean> {
  const progress = (await findProgress(context.db)) ?? {
    began: context.now,
    position: { timestamp: END_OF_TIME, id: LAST_ID },
  };
  if (progress.position === null) return false;
  const found = await context.db.all(olderLines, {
    ...progress.position,
    began: progress.began,
    limit: LINES,
    characters: INDEXED_CHARACTERS,
  });
  const lines = found.slice(0, endOfBatch(found, 0));
  const last = found.length === LINES || lines.length < found.length ? lines.at(-1) : undefined;
  const position = last ? { timestamp: last.timestamp, id: last.id } : null;
  await context.transaction(async (tx) => {
    await indexLines(tx, lines);
    await putConfiguration(tx, KEY, jsonTextOf({ ...progress, position }));
  });
  return last !== undefined;
}

async function deleteIndex(context: Context): Promise<boolean> {
  return context.transaction(async (tx) => {
    await deleteConfiguration(tx, KEY);
    return (await tx.run(deleteSome, {})) === BLOCKS;
  });
}

async function findProgress(db: Db): Promise<Progress | undefined> {
  const stored = await findConfiguration(db, KEY);
  return stored === undefined ? undefined : (JSON.parse(stored) as Progress);
}
