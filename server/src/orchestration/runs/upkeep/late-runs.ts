/** Marks runs Late that should have started. */
import { sql } from 'kysely';
import type { Context } from '../../../context/context.ts';
import { statement } from '../../../database/statement.ts';
import { addSeconds, type Timestamp } from '../../../values/time.ts';
import { markFlowRunLate } from '../state-machine.ts';

/** Runs that one pass marks, each in its own transaction. Shown by server/src/services/upkeep/late-runs.test.ts. */
const BATCH = 400;

interface LateRun {
  readonly id: string;
  readonly next_scheduled_start_time: Timestamp;
}

const waits = sql`flow_run.state_type = 'SCHEDULED' and flow_run.state_name = 'Scheduled'`;

const overdue = statement<{ before: Timestamp; limit: number }, LateRun>(
  (_query, given) =>
    sql<LateRun>`select flow_run.id, flow_run.next_scheduled_start_time from flow_run
      where flow_run."workspace" = ${given.workspace} and ${waits}
        and flow_run.next_scheduled_start_time <= ${given.before}
      order by flow_run.next_scheduled_start_time limit ${given.limit}`,
);

const claimOverdue = statement<{ id: string; before: Timestamp }, LateRun>(
  (_query, given, dialect) =>
    sql<LateRun>`select flow_run.id, flow_run.next_scheduled_start_time from flow_run
      where flow_run."workspace" = ${given.workspace} and flow_run.id = ${given.id} and ${waits}
        and flow_run.next_scheduled_start_time <= ${given.before} ${dialect.forUpdateSkipLocked}`,
);

/**
 * Marks runs Late whose expected start passed more than the configured time ago; the start stays. Resolves to true when
 * more such runs wait. Skips a run that has started in the meantime or that another replica marks.
 */
export async function markLateRuns(context: Context): Promise<boolean> {
  const before = addSeconds(context.now, -context.server.config.lateAfterSeconds);
  const runs = await context.db.all(overdue, { before, limit: BATCH });
  const marked = await Promise.allSettled(runs.map(({ id }) => markIfOverdue(context, id, before)));
  const failed = marked.filter((result) => result.status === 'rejected');
  for (const { reason } of failed) context.server.logger.error({ err: reason }, 'a run cannot be marked late');
  // A run that cannot be marked would be found again at once, so it waits for the next pass.
  return runs.length === BATCH && failed.length === 0;
}

function markIfOverdue(context: Context, id: string, before: Timestamp): Promise<void> {
  return context.transaction(async (tx) => {
    const run = await tx.first(claimOverdue, { id, before });
    if (run) await markFlowRunLate(context, tx, id, run.next_scheduled_start_time);
  });
}
