import type { Context } from '../../context.ts';
import { newTimeOrderedId } from '../../id.ts';
import { insertLogs, type LogRow } from './queries.ts';
import type { LogCreate } from './schema.ts';

/** Keeps a batch of logs, all or none, and hands it to the live streams. */
export async function createLogs(context: Context, input: readonly LogCreate[]): Promise<void> {
  if (input.length === 0) return;
  const logs = input.map((log) => ({
    id: newTimeOrderedId(),
    name: log.name,
    level: log.level,
    message: log.message,
    timestamp: log.timestamp,
    flow_run_id: log.flow_run_id ?? null,
    task_run_id: log.task_run_id ?? null,
  }));
  const { workspace, now: created } = context;
  await context.transaction(async (tx) => {
    await insertLogs(tx, created, logs);
    tx.afterCommit(() => {
      const rows: LogRow[] = logs.map((log) => ({ workspace, created, ...log }));
      context.server.hub.publish('logs', workspace, rows);
    });
  });
}
