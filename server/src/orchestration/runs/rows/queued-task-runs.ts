/** The queue of background task runs. `work/task-workers/` gives them to task workers. */
import type { Context } from '../../../context/context.ts';
import { rowOf, statement } from '../../../database/statement.ts';
import type { Tx } from '../../../database/store.ts';
import type { NewRow } from '../../../database/tables/tables.ts';
import { newTimeOrderedId } from '../../../values/id.ts';

/** A run queued again before its confirmation keeps its position, and its current claim ends. */
const enqueue = statement<NewRow<'queued_task_run'>, unknown>((query, given) =>
  query
    .insertInto('queued_task_run')
    .values(rowOf('queued_task_run', given))
    .onConflict((conflict) =>
      conflict
        .columns(['workspace', 'task_run_id'])
        .doUpdateSet({ is_retry: given.is_retry, claim: null, claimed_until: null }),
    ),
);

/** Puts a run into the queue of its key. Retries come before new runs. */
export async function enqueueTaskRun(
  context: Context,
  tx: Tx,
  { id, task_key, is_retry }: { id: string; task_key: string; is_retry: boolean },
): Promise<void> {
  const position = newTimeOrderedId();
  await tx.run(enqueue, { task_run_id: id, task_key, is_retry, position, claim: null, claimed_until: null });
  tx.afterCommit(() => context.server.hub.tell('queuedTasks', context.workspace, { task_key }));
}
