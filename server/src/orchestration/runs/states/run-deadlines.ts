/**
 * Work for a background service that follows from a state of a flow run. It is stored with the state, so that a pass of
 * the service reads only due rows and never scans the runs.
 */
import { sql } from 'kysely';
import { statement } from '../../../database/statement.ts';
import type { Tx } from '../../../database/store.ts';
import type { Timestamp } from '../../../values/time.ts';
import type { State } from '../rows/state.ts';

const insertPause = statement<{ flow_run_id: string; expires_at: Timestamp }, unknown>((query, given) =>
  query
    .insertInto('flow_run_pause')
    .values({ workspace: given.workspace, flow_run_id: given.flow_run_id, expires_at: given.expires_at })
    .onConflict((conflict) =>
      conflict.columns(['workspace', 'flow_run_id']).doUpdateSet({ expires_at: sql`excluded.expires_at` }),
    ),
);

const deletePause = statement<{ flow_run_id: string }, unknown>((query, given) =>
  query
    .deleteFrom('flow_run_pause')
    .where('workspace', '=', given.workspace)
    .where('flow_run_id', '=', given.flow_run_id),
);

const insertCancellation = statement<{ flow_run_id: string; now: Timestamp }, unknown>((query, given) =>
  query
    .insertInto('flow_run_cancellation')
    .values({
      workspace: given.workspace,
      flow_run_id: given.flow_run_id,
      cancelled_at: given.now,
      due: given.now,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['workspace', 'flow_run_id'])
        .doUpdateSet({ cancelled_at: sql`excluded.cancelled_at`, due: sql`excluded.due` }),
    ),
);

const deleteCancellation = statement<{ flow_run_id: string }, unknown>((query, given) =>
  query
    .deleteFrom('flow_run_cancellation')
    .where('workspace', '=', given.workspace)
    .where('flow_run_id', '=', given.flow_run_id),
);

/** Stores the time at which a paused run fails, unless it is resumed before. */
export async function keepPause(tx: Tx, flow_run_id: string, expires_at: Timestamp): Promise<void> {
  await tx.run(insertPause, { flow_run_id, expires_at });
}

/** Stores the time-out of a pause, and the cancellation of a run that has run and so may have children. */
export async function keepDeadlines(
  tx: Tx,
  run: { readonly id: string; readonly run_count: number },
  initial: State | undefined,
  written: State,
): Promise<void> {
  const flow_run_id = run.id;
  const { pause_timeout } = written.state_details;
  if (written.type === 'PAUSED' && pause_timeout) {
    await keepPause(tx, flow_run_id, pause_timeout);
  } else if (initial?.type === 'PAUSED') {
    await tx.run(deletePause, { flow_run_id });
  }
  if (written.type === 'CANCELLED' && run.run_count > 0) {
    await tx.run(insertCancellation, { flow_run_id, now: written.timestamp });
  } else if (initial?.type === 'CANCELLED') {
    await tx.run(deleteCancellation, { flow_run_id });
  }
}
