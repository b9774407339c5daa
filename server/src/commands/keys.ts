import { ConfigError } from '../errors.ts';
import { asCalled } from '../invocation.ts';
import { addressOf, clientSettings } from '../platform/client-settings.ts';
import { timeUntil } from '../platform/keys/api-keys/expiring.ts';
import { type ApiKeyFilter, MOST_OVERLAP_SECONDS } from '../platform/keys/api-keys/schema.ts';
import { listWorkspacesOfOwner } from '../platform/operator/organizations.ts';
import { isUuid } from '../values/id.ts';
import { isJsonObject } from '../values/json.ts';
import { addSeconds, systemClock, type Timestamp } from '../values/time.ts';
import { type Api, type Item, organizationPath } from './api.ts';
import { type Command, type Flags, needed, neededOwner, ownerOf, print, printList } from './command.ts';
import { secondsOf } from './duration.ts';

/** The list of the owner's keys. Keys of people are the operator's alone; a person makes keys in the dashboard. */
async function keysPath(flags: Flags, api: Api): Promise<string> {
  const owner = neededOwner(flags);
  if ('serviceAccount' in owner) return `${await api.accountPath(owner.organization, owner.serviceAccount)}/api-keys`;
  if (!api.operating)
    throw new ConfigError('With --context, give --service-account. Your own keys are in the dashboard.');
  return `/people/${encodeURIComponent(owner.user)}/api-keys`;
}

/** The path of a key, by its id. */
async function keyPath(flags: Flags, api: Api): Promise<string> {
  const id = needed(flags, 'id').toLowerCase();
  if (!isUuid(id)) throw new ConfigError(`There is no active key ${flags.id}. "signalbox keys list" lists them.`);
  if (api.operating) return `/api-keys/${id}`;
  const { organization = 'default' } = flags;
  const found = (await api.all(organizationPath(organization, '/api-keys'))).find((key) => key['id'] === id);
  const account = found?.['serviceAccount'];
  if (isJsonObject(account)) return organizationPath(organization, `/service-accounts/${account['id']}/api-keys/${id}`);
  throw new ConfigError(
    `No service account of "${organization}" has the key ${id}. Your own keys are in the dashboard.`,
  );
}

/** The keys of the owner, of an organization or all, each with its owner. */
async function keysOf(flags: Flags, api: Api): Promise<Item[]> {
  const filter = { filter: filterOf(flags) };
  const owner = ownerOf(flags);
  if (owner) {
    const named =
      'user' in owner
        ? { owner: owner.user, organization: null }
        : { owner: owner.serviceAccount, organization: owner.organization };
    return (await api.all(await keysPath(flags, api), filter)).map((key) => ({ ...key, ...named }));
  }
  if (api.operating && flags.organization === undefined) return api.all('/api-keys', filter);
  return (await api.allOf('/api-keys', flags.organization, api.administered, filter)).map(
    ({ serviceAccount, ...key }) => ({
      ...key,
      owner: isJsonObject(serviceAccount) ? serviceAccount['name'] : null,
    }),
  );
}

function filterOf({ only }: Flags): ApiKeyFilter {
  const found = filters.find((one) => one === (only ?? 'all'));
  if (found === undefined) throw new ConfigError(`--only must be ${filters.join(', ')}, not "${only}".`);
  return found;
}
const filters: readonly ApiKeyFilter[] = ['all', 'active', 'expiring', 'stale'];

function expiryOf(flags: Flags, now: Timestamp): Timestamp | null {
  const seconds = secondsOf(flags, 'expires-in');
  return seconds === undefined ? null : addSeconds(now, seconds);
}

function rollOf(flags: Flags, now: Timestamp) {
  const { descriptor, revoke } = flags;
  const expiresAt = expiryOf(flags, now);
  const overlap = secondsOf(flags, 'overlap', { mayBeNow: true });
  if (overlap !== undefined && overlap > MOST_OVERLAP_SECONDS) throw new ConfigError('--overlap must be at most 30d.');
  if (revoke !== undefined && !isUuid(revoke))
    throw new ConfigError(`--revoke must be the id of a key, not "${revoke}".`);
  return {
    ...(overlap === undefined ? {} : { endsInSeconds: overlap }),
    ...(descriptor === undefined ? {} : { descriptor }),
    ...(expiresAt === null ? {} : { expiresAt }),
    ...(revoke === undefined ? {} : { revokeKeyId: revoke }),
  };
}

/** The expiry of a key for people: `never`, `in 6 days`, `ended`. */
function expiryText(end: Timestamp | null, state: unknown, now: Timestamp): string {
  if (end === null) return 'never';
  return state === 'active' ? timeUntil(end, now) : end.slice(0, 16);
}

/** Prints only the new key on stdout; the fate of the old one goes to stderr. */
function printRolled(json: boolean, rolled: Item, now: Timestamp): void {
  const { apiKey, secret, replacedKey } = rolled as {
    readonly apiKey: { readonly id: string; readonly descriptor: string; readonly expiresAt: Timestamp | null };
    readonly secret: string;
    readonly replacedKey: { readonly id: string; readonly state: string; readonly expiresAt: Timestamp };
  };
  print(json, rolled, secret);
  if (json) return;
  const old = replacedKey.id;
  const end = apiKey.expiresAt === null ? 'It does not expire.' : `It expires ${timeUntil(apiKey.expiresAt, now)}.`;
  const both =
    replacedKey.state === 'active'
      ? `The old key ${old} works until ${replacedKey.expiresAt}; both are active until then. End it sooner with "signalbox keys revoke --id ${old}".`
      : `The old key ${old} no longer works.`;
  console.error(asCalled(`The new key for "${apiKey.descriptor}" is ${apiKey.id}. ${end}\n${both}`));
}

export const keyCommands: readonly Command[] = [
  {
    words: 'keys create',
    says: 'Create an API key for a person or a service account and print it. It is shown only once. With --context, for a service account.',
    flags: ['user?', 'service-account?', 'organization?', 'descriptor', 'expires-in?', 'context?'],
    json: true,
    /** Prints only the key on stdout, so that a script can use it; text for people goes to stderr. */
    async ask(flags, json, api) {
      const descriptor = needed(flags, 'descriptor', ': what the key is for');
      const owner = neededOwner(flags);
      const now = systemClock.now();
      const path = await keysPath(flags, api);
      const { secret, apiKey } = await api.send('POST', path, { descriptor, expiresAt: expiryOf(flags, now) });
      const { id, expiresAt } = apiKey as { readonly id: string; readonly expiresAt: Timestamp | null };
      print(json, { id, descriptor, expiresAt, secret }, String(secret));
      if (json) return;
      if (expiresAt !== null) console.error(`The key expires ${timeUntil(expiresAt, now)}.`);
      if (!api.operating) return;
      const { context, config } = await api.operating();
      // stderr may be a log file, so the key is printed only to a terminal.
      const places = await listWorkspacesOfOwner(context, owner);
      const shown = process.stderr.isTTY ? String(secret) : '<the key>';
      console.error(asCalled(clientSettings(addressOf(config), shown, places)));
    },
  },
  {
    words: 'keys list',
    says: 'List all API keys, or those of one owner or organization; with --context, those of service accounts. Their secrets are not stored.',
    flags: ['user?', 'service-account?', 'organization?', 'only?', 'context?'],
    json: true,
    async ask(flags, json, api) {
      const now = systemClock.now();
      printList(json, await keysOf(flags, api), {
        ID: 'id',
        STATE: 'state',
        OWNER: ({ owner, organization }) => `${owner ?? '(removed)'}${organization ? ` of ${organization}` : ''}`,
        DESCRIPTOR: 'descriptor',
        CREATED: 'createdAt',
        'LAST USED': ({ lastUsedAt }) => lastUsedAt ?? 'never',
        EXPIRES: ({ expiresAt, state }) => expiryText((expiresAt ?? null) as Timestamp | null, state, now),
      });
    },
  },
  {
    words: 'keys roll',
    says: 'Create an API key that replaces another and print it once. The old key continues to work for a day, or for the time of --overlap.',
    flags: ['id', 'overlap?', 'expires-in?', 'descriptor?', 'revoke?', 'organization?', 'context?'],
    json: true,
    async ask(flags, json, api) {
      const now = systemClock.now();
      const body = rollOf(flags, now);
      printRolled(json, await api.send('POST', `${await keyPath(flags, api)}/roll`, body), now);
    },
  },
  {
    words: 'keys revoke',
    says: 'Revoke an API key. The server refuses the next request with it.',
    flags: ['id', 'organization?', 'context?'],
    json: true,
    async ask(flags, json, api) {
      await api.call('DELETE', await keyPath(flags, api));
      print(json, { id: flags.id }, `Revoked the key ${flags.id}.`);
    },
  },
];
