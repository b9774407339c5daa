/** Counts failed requests by their server and by the kind of their failure. */
import { rows } from '../../../database/rows.ts';
import { platformStatement } from '../../../database/statement.ts';
import type { PlatformTx } from '../../../database/store.ts';
import type { Row } from '../../../database/tables/tables.ts';
import { neverSeen, seenAt, spanOf } from '../../../recurrence/recurrence.ts';
import { newTimeOrderedId } from '../../../values/id.ts';
import { isOfCaller } from '../arrive/failures.ts';

type RequestRecord = Row<'mcp_request'>;
type CauseRow = Row<'mcp_failure_cause'>;

const causes = rows('mcp_failure_cause');
const servers = rows('mcp_server');

const lockCause = platformStatement<{ server_id: string; failure: string }, CauseRow>((query, given, dialect) =>
  query
    .selectFrom('mcp_failure_cause')
    .selectAll()
    .where('server_id', '=', given.server_id)
    .where('failure', '=', given.failure)
    .modifyEnd(dialect.forUpdate),
);

/** Failures of callers, such as a denied request, have no cause at the server. */
export async function countFailures(tx: PlatformTx, batch: readonly RequestRecord[]): Promise<void> {
  const failed = batch.filter(
    ({ decision, failure }) => decision === 'allowed' && failure !== null && !isOfCaller(failure),
  );
  const groups = Map.groupBy(failed, ({ server_id, failure }) => `${server_id} ${failure}`);
  // In one order, so that two replicas do not wait for each other.
  for (const [, group] of [...groups].sort(([one], [other]) => (one < other ? -1 : 1))) await count(tx, group);
}

async function count(tx: PlatformTx, group: readonly RequestRecord[]): Promise<void> {
  const newest = group.at(-1)!;
  const place = { server_id: newest.server_id, failure: newest.failure! };
  const times = group.map(({ occurred }) => occurred);
  const now = spanOf(times).last;
  const locked = (await tx.first(lockCause, place)) ?? (await insertCause(tx, { ...place, ...neverSeen(now) }));
  if (!locked) return;
  const { after } = seenAt(locked, times, now);
  await causes.changeAll(tx, { id: locked.id }, { ...after, updated: now, last_text: newest.failure_text });
}

/** Undefined for a server that is gone. */
async function insertCause(
  tx: PlatformTx,
  cause: Omit<CauseRow, 'id' | 'created' | 'updated' | 'last_text'>,
): Promise<CauseRow | undefined> {
  if (!(await servers.first(tx, { id: cause.server_id }))) return undefined;
  const stamp = { id: newTimeOrderedId(), created: cause.last_seen, updated: cause.last_seen };
  return (await causes.insertUnlessThere(tx, { ...stamp, ...cause, last_text: null })) ?? tx.first(lockCause, cause);
}
