/**
 * Sends mails that API keys end soon, 14 and 3 days before the end: to the person whose key it is, or to the
 * administrators of a service account's organization. A key that was made, or warned about, after such a time causes no
 * mail for it.
 */
import type { Server } from '../../../context/context.ts';
import { platformStatement } from '../../../database/statement.ts';
import { addDays } from '../../../identity/keys/key-end.ts';
import { type EndingKey, type KeysExpireFacts, keysExpireLetter } from '../../../mail/letter.ts';
import type { Timestamp } from '../../../values/time.ts';
import { listAdministrators } from '../../organizations/members/queries.ts';
import { type ExpiringKey, expiringKeys } from './expiring.ts';
import { apiKeys } from './queries.ts';

/** Days before the end at which a mail is sent. */
const WARNING_DAYS = [3, 14] as const;
const MOST_DAYS = 14;
/** Most keys in one pass. The next pass follows at once. */
const KEYS_A_PASS = 200;
/** Most administrators of one organization who get the mail. */
const MOST_TOLD = 50;

/** Changes nothing if another process has warned about the key since `moment`. */
const claimWarning = platformStatement<{ id: string; moment: Timestamp; now: Timestamp }, { id: string }>(
  (query, given) =>
    query
      .updateTable('api_key')
      .set({ warned_at: given.now })
      .where('id', '=', given.id)
      .where((eb) => eb(eb.fn.coalesce('warned_at', 'created'), '<', given.moment))
      .returning('id'),
);

interface DueKey extends ExpiringKey {
  /** The time of the warning that is due. */
  readonly moment: Timestamp;
}

/** The keys in one mail: those of one person, or of the service accounts of one organization. */
interface Group {
  readonly organization: ExpiringKey['organization'];
  readonly keys: readonly DueKey[];
}

/**
 * One pass over all keys; true when more warnings are due now. A mail that the mail server does not accept for now is
 * sent by a later pass. A process that ends between the claim of a key and its mail loses this mail, but the one 3 days
 * before still comes.
 */
export async function warnOfEndingKeys(server: Server, now: Timestamp): Promise<boolean> {
  if (!server.mail.isOn) return false;
  const due = await findDue(server, now);
  let isAway = false;
  for (const { organization, keys } of groupsOf(due).values()) {
    const claimed = await claim(server, keys, now);
    if (claimed.length === 0 || (await tell(server, { organization, keys: claimed }))) continue;
    isAway = true;
    await server.store.platform.transaction(async (tx) => {
      // Skips a key that another process has claimed since.
      for (const { id, warnedAt } of claimed) await apiKeys.change(tx, { id, warned_at: now }, { warned_at: warnedAt });
    });
  }
  return due.length === KEYS_A_PASS && !isAway;
}

async function findDue({ store }: Server, now: Timestamp): Promise<readonly DueKey[]> {
  const due: DueKey[] = [];
  for await (const key of expiringKeys(store.platform.reads({ background: true }), now, MOST_DAYS)) {
    const moment = latestMoment(key.endsAt, now);
    if (moment === undefined || (key.warnedAt ?? key.createdAt) >= moment) continue;
    if (due.push({ ...key, moment }) === KEYS_A_PASS) break;
  }
  return due;
}

/**
 * Claims the keys that no other process has claimed. The first key is locked first, so one process gets all keys of one
 * mail.
 */
function claim({ store }: Server, keys: readonly DueKey[], now: Timestamp): Promise<readonly DueKey[]> {
  return store.platform.transaction(async (tx) => {
    const claimed: DueKey[] = [];
    for (const key of keys) {
      if (await tx.first(claimWarning, { id: key.id, moment: key.moment, now })) claimed.push(key);
    }
    return claimed;
  });
}

/** The latest warning time that has passed. */
function latestMoment(endsAt: Timestamp, now: Timestamp): Timestamp | undefined {
  return WARNING_DAYS.map((days) => addDays(endsAt, -days)).find((moment) => moment <= now);
}

function groupsOf(keys: readonly DueKey[]): ReadonlyMap<string, Group> {
  const groups = new Map<string, Group>();
  for (const key of keys) {
    const id = key.organization?.id ?? key.owner.id;
    const { organization, keys: earlier } = groups.get(id) ?? { organization: key.organization, keys: [] };
    groups.set(id, { organization, keys: [...earlier, key] });
  }
  return groups;
}

/** False when no mail was sent and a later attempt may succeed. */
async function tell({ store, mail, config }: Server, { organization, keys }: Group): Promise<boolean> {
  const db = store.platform.reads({ background: true });
  const addresses = organization
    ? (await db.all(listAdministrators, { organization_id: organization.id })).map(({ email }) => email)
    : keys.slice(0, 1).map(({ owner }) => owner.name);
  const facts: Omit<KeysExpireFacts, 'to'> = {
    keys: keys.map(endingKeyOf).sort((one, other) => (one.expires < other.expires ? -1 : 1)),
    url: config.publicUrl + config.basePath + placeOfKeys(organization),
  };
  const deliveries = [];
  for (const to of addresses.slice(0, MOST_TOLD)) {
    deliveries.push(await mail.send(keysExpireLetter({ to, ...facts }), { organizationId: null }));
  }
  return deliveries.length === 0 || deliveries.some((delivery) => delivery.sent || !delivery.mayPass);
}

function endingKeyOf({ descriptor, owner, endsAt }: ExpiringKey): EndingKey {
  return { descriptor, serviceAccount: owner.type === 'user' ? undefined : owner.name, expires: endsAt };
}

function placeOfKeys(organization: ExpiringKey['organization']): string {
  return organization ? `/people?tab=keys&organization=${organization.slug}` : '/account?tab=keys';
}
