/** Task workers: processes of the client that run background tasks. */
import type { Context } from '../../../context/context.ts';
import { jsonTextOf, parseJson } from '../../../values/json.ts';
import { addSeconds } from '../../../values/time.ts';
import type { TaskWorkerResponse } from './schema.ts';
import { deleteSilentTaskWorkers, onlineTaskWorkers, taskWorkers, upsertTaskWorker } from './worker-queries.ts';

/** Seconds after which a connection without a renewal counts as gone, with its server. */
export const ONLINE_SECONDS = 30;

/** A connection of a task worker; `identifier` is the process, which may have several connections. */
interface TaskWorkerConnection {
  readonly id: string;
  readonly identifier: string;
  readonly task_keys: readonly string[];
}

/** Stores or renews the connection; the caller repeats it within `ONLINE_SECONDS`. */
export async function noteTaskWorker(context: Context, connection: TaskWorkerConnection): Promise<void> {
  const task_keys = jsonTextOf(connection.task_keys);
  const times = { timestamp: context.now, online_until: addSeconds(context.now, ONLINE_SECONDS) };
  await context.transaction((tx) => tx.run(upsertTaskWorker, { ...connection, task_keys, ...times }));
}

export async function forgetTaskWorker(context: Context, id: string): Promise<void> {
  await context.transaction((tx) => taskWorkers.removeAll(tx, { id }));
}

/** Deletes connections that ended with their server. */
export async function forgetSilentTaskWorkers(context: Context): Promise<void> {
  await context.transaction((tx) => tx.run(deleteSilentTaskWorkers, { now: context.now }));
}

/**
 * The task workers that are connected and accept runs of at least one of `task_keys`; of any key when that is empty.
 * The connections of one process count as one worker.
 */
export async function listTaskWorkers(
  { db, now }: Context,
  task_keys: readonly string[],
): Promise<TaskWorkerResponse[]> {
  const workers = new Map<string, { task_keys: Set<string>; timestamp: TaskWorkerResponse['timestamp'] }>();
  for (const { identifier, task_keys: keys, timestamp } of await db.all(onlineTaskWorkers, { now })) {
    const worker = workers.get(identifier) ?? { task_keys: new Set(), timestamp };
    for (const key of parseJson(keys) as string[]) worker.task_keys.add(key);
    if (timestamp > worker.timestamp) worker.timestamp = timestamp;
    workers.set(identifier, worker);
  }
  return [...workers]
    .map(([identifier, worker]) => ({ identifier, ...worker, task_keys: [...worker.task_keys] }))
    .filter((worker) => task_keys.length === 0 || task_keys.some((key) => worker.task_keys.includes(key)));
}
