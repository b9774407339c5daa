import { ConfigError } from '../errors.ts';
import { asCalled } from '../invocation.ts';
import { addressOf, clientSettings } from '../platform/client-settings.ts';
import { timeUntil } from '../platform/keys/api-keys/expiring.ts';
import { type ApiKeyFilter, MOST_OVERLAP_SECONDS } from '../platform/keys/api-keys/schema.ts';
import { listKeys, revokeKeyById, rollKeyById } from '../platform/operator/keys.ts';
import { createKey } from '../platform/operator/operator.ts';
import { listWorkspacesOfOwner } from '../platform/operator/organizations.ts';
import { isUuid } from '../values/id.ts';
import { isJsonObject } from '../values/json.ts';
import { addSeconds, systemClock, type Timestamp } from '../values/time.ts';
import { type Command, cell, type Flags, needed, neededOwner, operate, ownerOf, print, table } from './command.ts';
import { secondsOf } from './duration.ts';
import { pathOfAccount } from './server-accounts.ts';
import type { Item, ServerApi } from './server-api.ts';

/** Lists the keys of a server: everyone sees their own keys and those of the service accounts that they administer. */
async function keysOf(flags: Flags, server: ServerApi): Promise<string> {
  const { organization = 'default', user } = flags;
  const account = flags['service-account'];
  if (user !== undefined || account === undefined) {
    throw new ConfigError('With --context, give --service-account. Your own keys are in the dashboard.');
  }
  return `${await pathOfAccount(server, organization, account)}/api-keys`;
}

/** Keys of the service accounts of an organization. */
function listPathOf({ organization = 'default' }: Flags): string {
  return `/organizations/${encodeURIComponent(organization)}/api-keys`;
}

/** The path of a service account's key, by its id. */
async function pathOfKey(flags: Flags, server: ServerApi): Promise<string> {
  const id = needed(flags, 'id').toLowerCase();
  const { organization = 'default' } = flags;
  const key = (await server.all(listPathOf(flags))).find((one) => one['id'] === id);
  const account = key?.['serviceAccount'];
  if (!isJsonObject(account)) {
    throw new ConfigError(
      `No service account of "${organization}" has the key ${id}. Your own keys are in the dashboard.`,
    );
  }
  return `/organizations/${encodeURIComponent(organization)}/service-accounts/${account['id']}/api-keys/${id}`;
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
function printRolled(json: boolean, rolled: Item | object, now: Timestamp): void {
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
    says: 'Create an API key for a person or a service account and print it. It is shown only once.',
    flags: ['user?', 'service-account?', 'organization?', 'descriptor', 'expires-in?', 'context?'],
    json: true,
    async remote(flags, json, server) {
      const descriptor = needed(flags, 'descriptor', ': what the key is for');
      const expiresAt = expiryOf(flags, systemClock.now());
      const path = await keysOf(flags, server);
      const { secret, apiKey } = await server.send('POST', path, { descriptor, expiresAt });
      const facts = isJsonObject(apiKey) ? { id: apiKey['id'], expiresAt: apiKey['expiresAt'] } : {};
      print(json, { ...facts, descriptor, secret }, String(secret));
    },
    /** Prints only the key on stdout, so that a script can use it; text for people goes to stderr. */
    run(flags, json) {
      const descriptor = needed(flags, 'descriptor', ': what the key is for');
      const owner = neededOwner(flags);
      return operate(flags, async (context, _operator, config) => {
        const { apiKey, secret } = await createKey(context, owner, descriptor, expiryOf(flags, context.now));
        const { id, expiresAt } = apiKey;
        print(json, { id, descriptor, expiresAt, secret }, secret);
        if (json) return;
        if (expiresAt !== null) console.error(`The key expires ${timeUntil(expiresAt, context.now)}.`);
        // stderr may be a log file, so the key is printed only to a terminal.
        const places = await listWorkspacesOfOwner(context, owner);
        const shown = process.stderr.isTTY ? secret : '<the key>';
        console.error(asCalled(clientSettings(addressOf(config), shown, places)));
      });
    },
  },
  {
    words: 'keys list',
    says: 'List all API keys, or those of one owner; with --context, those of the service accounts of an organization. Their secrets are not stored.',
    flags: ['user?', 'service-account?', 'organization?', 'only?', 'context?'],
    json: true,
    async remote(flags, json, server) {
      const path = flags.user || flags['service-account'] ? await keysOf(flags, server) : listPathOf(flags);
      const keys = await server.all(path, { filter: filterOf(flags) });
      const now = systemClock.now();
      const rows = keys.map(({ id, state, serviceAccount, descriptor, createdAt, lastUsedAt, expiresAt }) =>
        [
          id,
          state,
          isJsonObject(serviceAccount) ? serviceAccount['name'] : flags['service-account'],
          descriptor,
          createdAt,
          lastUsedAt ?? 'never',
          expiryText((expiresAt ?? null) as Timestamp | null, state, now),
        ].map(cell),
      );
      print(json, keys, table(['ID', 'STATE', 'OWNER', 'DESCRIPTOR', 'CREATED', 'LAST USED', 'EXPIRES'], rows));
    },
    run(flags, json) {
      const owner = ownerOf(flags);
      const filter = filterOf(flags);
      return operate(flags, async (context) => {
        const keys = await listKeys(context, owner, filter);
        const rows = keys.map((key) => [
          key.id,
          key.state,
          `${key.owner ?? '(removed)'}${key.organization === null ? '' : ` of ${key.organization}`}`,
          key.descriptor,
          key.created.slice(0, 16),
          key.lastUsed?.slice(0, 16) ?? 'never',
          expiryText(key.expires, key.state, context.now),
        ]);
        print(json, keys, table(['ID', 'STATE', 'OWNER', 'DESCRIPTOR', 'CREATED', 'LAST USED', 'EXPIRES'], rows));
      });
    },
  },
  {
    words: 'keys roll',
    says: 'Create an API key that replaces another and print it once. The old key continues to work for a day, or for the time of --overlap.',
    flags: ['id', 'overlap?', 'expires-in?', 'descriptor?', 'revoke?', 'organization?', 'context?'],
    json: true,
    async remote(flags, json, server) {
      const now = systemClock.now();
      const body = rollOf(flags, now);
      printRolled(json, await server.send('POST', `${await pathOfKey(flags, server)}/roll`, body), now);
    },
    run(flags, json) {
      const id = needed(flags, 'id');
      return operate(flags, async (context) => {
        printRolled(json, await rollKeyById(context, id, rollOf(flags, context.now)), context.now);
      });
    },
  },
  {
    words: 'keys revoke',
    says: 'Revoke an API key. The server refuses the next request with it.',
    flags: ['id', 'organization?', 'context?'],
    json: true,
    async remote(flags, json, server) {
      await server.call('DELETE', await pathOfKey(flags, server));
      print(json, { id: flags.id }, `Revoked the key ${flags.id}.`);
    },
    run(flags, json) {
      const id = needed(flags, 'id');
      return operate(flags, async (context) => {
        const key = await revokeKeyById(context, id);
        print(json, key, `Revoked the key "${key.descriptor}" of ${key.owner ?? '(removed)'}.`);
      });
    },
  },
];
