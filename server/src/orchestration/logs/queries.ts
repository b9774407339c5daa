import { sql } from 'kysely';
import { compileFilter } from '../../database/lists/filters.ts';
import { listedColumn, listedColumns } from '../../database/lists/large-values.ts';
import { rows } from '../../database/rows.ts';
import { statement } from '../../database/statement.ts';
import type { Db, Tx } from '../../database/store.ts';
import type { Row } from '../../database/tables/tables.ts';
import { FIRST_ID } from '../../values/id.ts';
import type { Timestamp } from '../../values/time.ts';
import type { ListPart } from '../filters/pagination.ts';
import { logFields } from './filter-fields.ts';
import type { LogFilter, LogSort } from './schema.ts';

export type LogRow = Row<'log'>;

export const logs = rows('log');

/** A log as read from the database; a log never changes, so `updated` is the time of its creation. */
interface StoredLog extends Omit<LogRow, 'workspace'> {
  readonly updated: Timestamp;
}

const insertAll = statement<{ created: Timestamp; logs: string }, unknown>(
  (_query, given, dialect) =>
    sql`insert into log ("workspace", id, created, name, level, message, timestamp, flow_run_id, task_run_id)
      select ${given.workspace}, id, ${given.created}, name, level, message, timestamp, flow_run_id, task_run_id
      from ${dialect.rowsFrom(given.logs, {
        id: 'uuid',
        name: 'text',
        level: 'integer',
        message: 'text',
        timestamp: 'timestamp',
        flow_run_id: 'uuid',
        task_run_id: 'uuid',
      })} item`,
);

/** Inserts a batch in one statement. All logs of a batch have the same time of creation. */
export async function insertLogs(
  tx: Tx,
  created: Timestamp,
  logs: readonly Omit<LogRow, 'workspace' | 'created'>[],
): Promise<void> {
  await tx.run(insertAll, { created, logs: JSON.stringify(logs) });
}

/** Logs with the same time keep the order in which they were received. */
export function listLogs(db: Db, filter: LogFilter | null | undefined, page: ListPart<LogSort>): Promise<StoredLog[]> {
  const { dialect } = db;
  const direction = sql.raw(page.sort === 'TIMESTAMP_ASC' ? 'asc' : 'desc');
  const time = asksSeveralRuns(filter) ? dialect.unindexed(sql`log.timestamp`) : sql`log.timestamp`;
  return db.query(
    sql<StoredLog>`select ${listedColumns(db, 'log')}, created as updated from log where log."workspace" = ${db.workspace} and ${compileFilter(filter, logFields, dialect)}
      order by ${time} ${direction}, log.id ${direction} limit ${page.limit} offset ${page.offset}`,
  );
}

/** True for several runs: the index orders the logs of one run; the logs of several are found and then sorted. */
function asksSeveralRuns(filter: LogFilter | null | undefined): boolean {
  if (!filter || filter.operator === 'or_') return false;
  const several = (ids: readonly string[] | null | undefined) => (ids?.length ?? 0) > 1;
  return several(filter.flow_run_id?.any_) || several(filter.task_run_id?.any_);
}

type LogOfRun = Pick<LogRow, 'id' | 'timestamp' | 'level' | 'flow_run_id' | 'task_run_id' | 'message'>;

const BEFORE_ALL = {
  timestamp: '0001-01-01T00:00:00.000000Z' as Timestamp,
  id: FIRST_ID,
};

/** All logs of a flow run, oldest first, `size` at a time. */
export async function* pagesOfRunLogs(db: Db, flow_run_id: string, size: number): AsyncGenerator<LogOfRun[]> {
  let last: Pick<LogOfRun, 'timestamp' | 'id'> = BEFORE_ALL;
  for (;;) {
    const { timestamp, id } = last;
    const logs = await db.query(
      sql<LogOfRun>`select id, timestamp, level, flow_run_id, task_run_id, ${listedColumn(db, 'log', 'message')} from log
        where "workspace" = ${db.workspace} and flow_run_id = ${flow_run_id} and (timestamp, id) > (${timestamp}, ${id})
        order by timestamp asc, id asc limit ${size}`,
      { recurs: true },
    );
    if (logs.length > 0) yield logs;
    if (logs.length < size) return;
    last = logs.at(-1) ?? last;
  }
}
