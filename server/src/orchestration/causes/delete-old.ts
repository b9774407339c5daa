import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { deletionOfSome } from '../../database/delete-found.ts';
import { statement } from '../../database/statement.ts';
import { addSeconds, type Timestamp } from '../../values/time.ts';

/** Causes that a workspace keeps; those that came least recently go first. */
const MOST_CAUSES = 5000;
const KEPT_SECONDS = 365 * 86_400;
const BATCH = 100;

const firstTooMany = statement<{ most: number }, { last_seen: Timestamp }>(
  (_query, given) =>
    sql<{ last_seen: Timestamp }>`select last_seen from failure_cause where "workspace" = ${given.workspace}
      order by last_seen desc, id desc limit 1 offset ${given.most}`,
);

const deleteSeenUntil = deletionOfSome<{ until: Timestamp; limit: number }>(
  'failure_cause',
  'id',
  ({ until, limit }) => sql`and last_seen <= ${until} order by last_seen limit ${limit}`,
);

/** Deletes causes that have not come for a year, and those that are too many. True when more is left. */
export function deleteOldCauses({ now, transaction }: Context): Promise<boolean> {
  return transaction(async (tx) => {
    const tooMany = await tx.first(firstTooMany, { most: MOST_CAUSES });
    const old = addSeconds(now, -KEPT_SECONDS);
    const until = tooMany && tooMany.last_seen > old ? tooMany.last_seen : old;
    return (await tx.run(deleteSeenUntil, { until, limit: BATCH })) === BATCH;
  });
}
