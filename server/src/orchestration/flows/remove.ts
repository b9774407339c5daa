/**
 * Removes a deleted flow with its runs. From the first transaction on, readers do not see the flow. Its runs are
 * deleted in batches, so that a flow with many runs does not block other writers for long. The client that deletes the
 * flow waits for the end. When that takes too long, or the server stopped before, the service `retention` continues.
 * The logs of its runs stay until the search for orphans: on the reference, clients still find them after the flow is
 * gone.
 */
import type { Context } from '../../context/context.ts';
import { statement } from '../../database/statement.ts';
import { deleteFlowRunRows, deleteTaskRunsOf } from '../runs/removal.ts';

const FLOW_RUNS = 50;
/** Clients wait a minute for an answer. */
const PATIENCE_MILLISECONDS = 30_000;

const runsOfFlow = statement<{ id: string; limit: number }, { id: string }>((query, given) =>
  query
    .selectFrom('flow_run')
    .select('id')
    .where('workspace', '=', given.workspace)
    .where('flow_id', '=', given.id)
    .limit(given.limit),
);

const deleteRow = statement<{ id: string }, unknown>((query, given) =>
  query
    .deleteFrom('flow')
    .where('workspace', '=', given.workspace)
    .where('id', '=', given.id)
    .where('removed', 'is not', null),
);

const removedFlows = statement<{ limit: number }, { id: string }>((query, given) =>
  query
    .selectFrom('flow')
    .select('id')
    .where('workspace', '=', given.workspace)
    .where('removed', 'is not', null)
    .limit(given.limit),
);

/** Removes the rest of a flow that was marked as removed, for as long as a client waits. */
export async function removeFlow(context: Context, id: string): Promise<void> {
  const patience = performance.now() + PATIENCE_MILLISECONDS;
  while (await removeSome(context, id)) {
    if (performance.now() < patience) continue;
    context.server.hub.tell('work', 'retention', context.workspace);
    return;
  }
}

/** Removes a batch of a flow whose removal did not finish. True when more is left. */
export async function continueRemovals(context: Context): Promise<boolean> {
  const [flow] = await context.db.all(removedFlows, { limit: 1 });
  if (!flow) return false;
  await removeSome(context, flow.id);
  return true;
}

async function removeSome(context: Context, id: string): Promise<boolean> {
  const ids = (await context.db.all(runsOfFlow, { id, limit: FLOW_RUNS })).map((run) => run.id);
  await deleteTaskRunsOf(context, ids);
  await context.transaction((tx) => (ids.length === 0 ? tx.run(deleteRow, { id }) : deleteFlowRunRows(tx, ids)));
  return ids.length > 0;
}
