import type { Context } from '../../context/context.ts';
import { nextTurn } from '../../fairness/turns.ts';
import { newId, newTimeOrderedId } from '../../values/id.ts';
import { insertLogs, type LogRow } from './queries.ts';
import type { LogCreate } from './schema.ts';
import { endOfBatch, indexLines, keepsWords } from './search/blocks.ts';

/**
 * Stores logs and passes them to the live streams. Each batch is stored whole or not at all; the reference stores logs
 * in batches too.
 */
export async function createLogs(context: Context, input: readonly LogCreate[]): Promise<void> {
  for (let from = 0, end: number; from < input.length; from = end) {
    if (from > 0) await nextTurn();
    end = endOfBatch(input, from);
    await createBatch(context, input.slice(from, end));
  }
}

async function createBatch(context: Context, input: readonly LogCreate[]): Promise<void> {
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
  await context.sharedTransaction(newId(), async (tx) => {
    await Promise.all([insertLogs(tx, created, logs), keepsWords(context.server) && indexLines(tx, logs)]);
    tx.afterCommit(() => {
      const rows: LogRow[] = logs.map((log) => ({ workspace, created, ...log }));
      context.server.hub.tell('logs', workspace, ...rows);
    });
  });
}
