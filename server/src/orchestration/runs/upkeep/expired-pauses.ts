import type { Context } from '../../../context/context.ts';
import { statement } from '../../../database/statement.ts';
import type { Timestamp } from '../../../values/time.ts';
import { transitionFlowRun } from '../state-machine.ts';
import { oneByOne } from './one-by-one.ts';

const BATCH = 200;

const expired = statement<{ now: Timestamp; limit: number }, { flow_run_id: string }>((query, given) =>
  query
    .selectFrom('flow_run_pause')
    .select('flow_run_id')
    .where('workspace', '=', given.workspace)
    .where('expires_at', '<=', given.now)
    .orderBy('expires_at')
    .limit(given.limit),
);

const deleteExpired = statement<{ flow_run_id: string; now: Timestamp }, unknown>((query, given) =>
  query
    .deleteFrom('flow_run_pause')
    .where('workspace', '=', given.workspace)
    .where('flow_run_id', '=', given.flow_run_id)
    .where('expires_at', '<=', given.now),
);

/**
 * Fails runs whose pause timed out, each once even when several replicas check. True when more are left. Shown by
 * server/src/services/upkeep/pause-expiry.test.ts.
 */
export async function expirePauses(context: Context): Promise<boolean> {
  const { now } = context;
  const due = await context.db.all(expired, { now, limit: BATCH });
  const message = 'The flow was paused and never resumed.';
  const isDone = await oneByOne(
    context,
    due.map(({ flow_run_id }) => flow_run_id),
    (flow_run_id) =>
      context.transaction(async (tx) => {
        // Locks the run first, as in every transition. The transaction that deletes the row owns the expiry.
        await tx.lock('flow_run', flow_run_id);
        if ((await tx.run(deleteExpired, { flow_run_id, now })) === 0) return;
        await transitionFlowRun(context, tx, flow_run_id, { type: 'FAILED', message }, true);
      }),
  );
  return isDone && due.length === BATCH;
}
