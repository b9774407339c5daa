/**
 * Limits the record of requests. The record is above workspaces, so one sweep covers all of them. Each function deletes
 * a batch for each server and returns whether more is left. On SQLite, its transaction delays other writers by at most
 * some 5 ms.
 */
import { sql } from 'kysely';
import type { Server } from '../../../context/context.ts';
import { deleteFound } from '../../../database/delete-found.ts';
import { waitForDropSeconds } from '../../../database/partitions.ts';
import { type PlatformStatement, platformStatement } from '../../../database/statement.ts';
import { firstIdAt, LAST_ID } from '../../../values/id.ts';
import { addSeconds, microsecondsOf, type Timestamp } from '../../../values/time.ts';

const BATCH = 250;
const END_OF_TIME = '9999-12-31T23:59:59.999999Z' as Timestamp;

type RecordTable = 'mcp_request' | 'mcp_session';

interface RecordedServer {
  readonly id: string;
  readonly oldest: string;
  /** 0 when the server was deleted. */
  readonly servers: number;
}

type Recorded = PlatformStatement<Record<string, never>, RecordedServer>;

/** The servers to which rows of the table belong, with the first row of each: two steps in the index for a server. */
function recordedServers(table: RecordTable): Recorded {
  const rows = sql.table(table);
  return platformStatement(
    () => sql`with recursive recorded(id) as (
        select (select server_id from ${rows} order by server_id limit 1)
        union all
        select (select server_id from ${rows} where server_id > recorded.id order by server_id limit 1)
        from recorded where recorded.id is not null
      )
      select recorded.id, (select ${rows}.id from ${rows} where server_id = recorded.id order by ${rows}.id limit 1) as oldest,
        (select count(*) from mcp_server where mcp_server.id = recorded.id) as servers
      from recorded where recorded.id is not null`,
  );
}

interface Batch {
  readonly server_id: string;
  /** Selects rows with a smaller id, last used before a time. */
  readonly id_before: string;
  readonly used_before: Timestamp;
}

function deleteBatch(table: RecordTable, lastUse: 'occurred' | 'last_activity') {
  const rows = sql.table(table);
  return platformStatement<Batch, unknown>((_query, given, dialect) => {
    const ofServer = sql<boolean>`server_id = ${given.server_id}`;
    const found = sql`select id from ${rows} where ${ofServer} and id < ${given.id_before}
      and ${sql.ref(lastUse)} < ${given.used_before} order by id limit ${sql.lit(BATCH)}`;
    return deleteFound(rows, ofServer, sql`id`, found, dialect);
  });
}

const sweeps: readonly { table: RecordTable; recorded: Recorded; remove: PlatformStatement<Batch, unknown> }[] = [
  {
    table: 'mcp_request',
    recorded: recordedServers('mcp_request'),
    remove: deleteBatch('mcp_request', 'occurred'),
  },
  {
    table: 'mcp_session',
    recorded: recordedServers('mcp_session'),
    remove: deleteBatch('mcp_session', 'last_activity'),
  },
];

/** Deletes the requests and sessions of deleted servers and organizations. */
export function deleteRequestsOfDeletedServers(server: Server): Promise<boolean> {
  return sweep(
    server,
    () => ({ used_before: END_OF_TIME, id_before: LAST_ID }),
    ({ servers }) => servers === 0,
  );
}

/** Deletes requests that arrived too long ago, and sessions that were last used then. */
export function deleteOldRequests(server: Server, now: Timestamp): Promise<boolean> {
  const { mcpRequestRetentionSeconds: seconds } = server.config;
  const endOf = (table: RecordTable) => {
    const waits = table === 'mcp_request' ? waitForDropSeconds(server.store.partitions, seconds) : 0;
    const used_before = addSeconds(now, -seconds - waits);
    return { used_before, id_before: firstIdAt(microsecondsOf(used_before)) };
  };
  return sweep(server, endOf, ({ oldest }, { id_before }) => oldest < id_before);
}

const deleteEnded = platformStatement<{ now: Timestamp }, unknown>((_query, given, dialect) => {
  const found = sql`select id from mcp_ended_session where expires_at < ${given.now} limit ${sql.lit(BATCH)}`;
  return deleteFound(sql.table('mcp_ended_session'), sql<boolean>`true`, sql`id`, found, dialect);
});

/** Deletes ended sessions that would now be too old. */
export async function deleteEndedSessions({ store }: Server, now: Timestamp): Promise<boolean> {
  return (await store.platform.transaction((tx) => tx.run(deleteEnded, { now }))) === BATCH;
}

const TASK_SECONDS = 30 * 86_400;

const deleteTasks = platformStatement<{ before: Timestamp }, unknown>((_query, given, dialect) => {
  const found = sql`select id from mcp_task where created < ${given.before} limit ${sql.lit(BATCH)}`;
  return deleteFound(sql.table('mcp_task'), sql<boolean>`true`, sql`id`, found, dialect);
});

/** Deletes tasks that began a month ago: `tasks/list` shows them no more. */
export async function deleteOldTasks({ store }: Server, now: Timestamp): Promise<boolean> {
  const before = addSeconds(now, -TASK_SECONDS);
  return (await store.platform.transaction((tx) => tx.run(deleteTasks, { before }))) === BATCH;
}

type End = Omit<Batch, 'server_id'>;

async function sweep(
  { store }: Server,
  endOf: (table: RecordTable) => End,
  isDue: (recorded: RecordedServer, end: End) => boolean,
): Promise<boolean> {
  let left = false;
  for (const { table, recorded, remove } of sweeps) {
    const end = endOf(table);
    const due = (await store.platform.reads().all(recorded)).filter((server) => isDue(server, end));
    for (const { id: server_id } of due) {
      const removed = await store.platform.transaction((tx) => tx.run(remove, { server_id, ...end }));
      left ||= removed === BATCH;
    }
  }
  return left;
}
