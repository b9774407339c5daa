import { statement } from '../../database/statement.ts';
import type { Db } from '../../database/store.ts';

const idOfTaskRun = statement<{ id: string }, { id: string }>((query, given) =>
  query.selectFrom('task_run').select('id').where('workspace', '=', given.workspace).where('id', '=', given.id),
);

/** The id when there is such a task run. */
export async function findTaskRunId(db: Db, id: string): Promise<string | undefined> {
  return (await db.first(idOfTaskRun, { id }))?.id;
}
