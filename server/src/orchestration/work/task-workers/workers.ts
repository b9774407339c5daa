/** Task workers: processes of the client that run background tasks. */
import type { Context } from '../../../context.ts';
import { jsonTextOf, parseJson } from '../../../json.ts';
import { addSeconds } from '../../../time.ts';
import type { TaskWorkerResponse } from './schema.ts';
import {
  deleteSilentTaskWorkers,
  deleteTaskWorkerRow,
  listTaskWorkerRows,
  upsertTaskWorker,
} from './worker-queries.ts';

/** Seconds after which a connection without a renewal counts as gone, with its server. */
export const ONLINE_SECONDS = 30;

/** A connection of a task worker: `identifier` names the process, which may have several. */
export interface TaskWorkerConnection {
  readonly id: string;
  readonly identifier: string;
  readonly task_keys: readonly string[];
}

/** Stores or renews the connection; the caller repeats it within `ONLINE_SECONDS`. */
export function noteTaskWorker(context: Context, { id, identifier, task_keys }: TaskWorkerConnection): Promise<void> {
  const { now } = context;
  const online_until = addSeconds(now, ONLINE_SECONDS);
  return context.transaction((tx) =>
    upsertTaskWorker(tx, { id, identifier, task_keys: jsonTextOf(task_keys), timestamp: now, online_until }),
  );
}

export function forgetTaskWorker(context: Context, id: string): Promise<void> {
  return context.transaction((tx) => deleteTaskWorkerRow(tx, id));
}

/** Deletes connections that ended with their server. */
export async function forgetSilentTaskWorkers(context: Context): Promise<void> {
  await context.transaction((tx) => deleteSilentTaskWorkers(tx, context.now));
}

/**
 * The task workers that are connected and take runs of at least one of `task_keys`; of any key when that is empty. The
 * connections of one process count as one worker.
 */
export async function listTaskWorkers(context: Context, task_keys: readonly string[]): Promise<TaskWorkerResponse[]> {
  const workers = new Map<string, { task_keys: Set<string>; timestamp: TaskWorkerResponse['timestamp'] }>();
  for (const { identifier, task_keys: keys, timestamp } of await listTaskWorkerRows(context.db, context.now)) {
    const worker = workers.get(identifier) ?? { task_keys: new Set(), timestamp };
    for (const key of parseJson(keys) as string[]) worker.task_keys.add(key);
    if (timestamp > worker.timestamp) worker.timestamp = timestamp;
    workers.set(identifier, worker);
  }
  return [...workers]
    .map(([identifier, worker]) => ({ identifier, ...worker, task_keys: [...worker.task_keys] }))
    .filter((worker) => task_keys.length === 0 || task_keys.some((key) => worker.task_keys.includes(key)));
}
