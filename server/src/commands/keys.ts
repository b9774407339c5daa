import { ConfigError } from '../errors.ts';
import { isJsonObject } from '../json.ts';
import { addressOf, clientSettings } from '../platform/client-settings.ts';
import { listKeys, revokeKeyById } from '../platform/operator/keys.ts';
import { createKey } from '../platform/operator/operator.ts';
import { listWorkspacesOfOwner } from '../platform/operator/organizations.ts';
import { type Command, cell, type Flags, needed, neededOwner, operate, ownerOf, print, table } from './command.ts';
import { pathOfAccount } from './server-accounts.ts';
import type { ServerApi } from './server-api.ts';

/** On a server, everyone has their own keys and those of the service accounts they administer. */
async function keysOf(flags: Flags, server: ServerApi): Promise<string> {
  const { organization = 'default', user } = flags;
  const account = flags['service-account'];
  if (user !== undefined || account === undefined) {
    throw new ConfigError('With --context, give --service-account. Your own keys are in the dashboard.');
  }
  return `${await pathOfAccount(server, organization, account)}/api-keys`;
}

export const keyCommands: readonly Command[] = [
  {
    words: 'keys create',
    says: 'Create an API key for a person or a service account and print it. It is shown only once.',
    flags: ['user?', 'service-account?', 'organization?', 'descriptor', 'context?'],
    json: true,
    async remote(flags, json, server) {
      const descriptor = needed(flags, 'descriptor', ': what the key is for');
      const path = await keysOf(flags, server);
      const { secret, apiKey } = await server.send('POST', path, { descriptor });
      print(json, { ...(isJsonObject(apiKey) ? { id: apiKey['id'] } : {}), descriptor, secret }, String(secret));
    },
    /** The key alone on stdout, so that a script can take it; what is for people goes to stderr. */
    run(flags, json) {
      const descriptor = needed(flags, 'descriptor', ': what the key is for');
      const owner = neededOwner(flags);
      return operate(flags, async (context, _operator, config) => {
        const { id, secret } = await createKey(context, owner, descriptor);
        print(json, { id, descriptor, secret }, secret);
        if (json) return;
        // stderr may be a log file, so the key is printed only to a terminal.
        const places = await listWorkspacesOfOwner(context, owner);
        console.error(clientSettings(addressOf(config), process.stderr.isTTY ? secret : '<the key>', places));
      });
    },
  },
  {
    words: 'keys list',
    says: 'List all API keys, or those of one owner. Their secrets are not stored.',
    flags: ['user?', 'service-account?', 'organization?', 'context?'],
    json: true,
    async remote(flags, json, server) {
      const keys = await server.all(await keysOf(flags, server));
      const rows = keys.map(({ id, descriptor, createdAt, lastUsedAt, revokedAt }) =>
        [id, revokedAt ? 'revoked' : 'active', descriptor, createdAt, lastUsedAt ?? 'never'].map(cell),
      );
      print(json, keys, table(['ID', 'STATE', 'DESCRIPTOR', 'CREATED', 'LAST USED'], rows));
    },
    run(flags, json) {
      const owner = ownerOf(flags);
      return operate(flags, async (context) => {
        const keys = await listKeys(context, owner);
        const rows = keys.map((key) => [
          key.id,
          key.state,
          `${key.owner ?? '(removed)'}${key.organization === null ? '' : ` of ${key.organization}`}`,
          key.descriptor,
          key.created.slice(0, 16),
          key.lastUsed?.slice(0, 16) ?? 'never',
        ]);
        print(json, keys, table(['ID', 'STATE', 'OWNER', 'DESCRIPTOR', 'CREATED', 'LAST USED'], rows));
      });
    },
  },
  {
    words: 'keys revoke',
    says: 'Revoke an API key. The server refuses the next request with it.',
    flags: ['id'],
    json: true,
    run(flags, json) {
      const id = needed(flags, 'id');
      return operate(flags, async (context) => {
        const key = await revokeKeyById(context, id);
        print(json, key, `Revoked the key "${key.descriptor}" of ${key.owner ?? '(removed)'}.`);
      });
    },
  },
];
