/** Finds API keys that expire soon: the programs that use them will be refused. */
import type { Store } from '../../database/store.ts';
import { type ExpiringKey, expiringKeys, timeUntil } from '../../platform/keys/api-keys/expiring.ts';
import { SOON_DAYS } from '../../platform/keys/api-keys/schema.ts';
import type { Timestamp } from '../../values/time.ts';
import { type Finding, firstOf } from './finding.ts';

const subject = 'keys';
const MOST_NAMED = 5;

/** The database must have the tables of this version. */
export async function examineKeys(store: Store, now: Timestamp): Promise<Finding> {
  const db = store.platform.reads({ background: true });
  const named: ExpiringKey[] = [];
  let count = 0;
  for await (const key of expiringKeys(db, now, SOON_DAYS)) {
    count += 1;
    named.push(key);
    named.sort((one, other) => (one.endsAt < other.endsAt ? -1 : 1)).splice(MOST_NAMED);
  }
  if (count === 0) return { subject, state: 'ok', says: `No API key expires within ${SOON_DAYS} days.` };
  const texts = named.map(
    ({ id, descriptor, owner, endsAt }) => `"${descriptor}" of ${owner.name} ${timeUntil(endsAt, now)} (${id})`,
  );
  const verb = count === 1 ? '1 API key expires' : `${count} API keys expire`;
  return {
    subject,
    state: 'warning',
    says: `${verb} within ${SOON_DAYS} days: ${firstOf(texts, count)}.`,
    cure: 'Replace a key with "signalbox keys roll --id <id>"; "keys list --only expiring" lists them.',
  };
}
