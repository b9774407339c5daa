import { addressOf, clientSettings } from '../platform/client-settings.ts';
import { createKey } from '../platform/operator.ts';
import { listKeys, revokeKeyById } from '../platform/operator-keys.ts';
import { type Command, configOf, needed, neededOwner, operate, ownerOf, print, table } from './command.ts';

export const keyCommands: readonly Command[] = [
  {
    words: 'keys create',
    says: 'makes a key and prints it, once; of a person (--user) or of a service account',
    flags: ['user?', 'service-account?', 'organization?', 'descriptor'],
    json: true,
    /** The key alone on stdout, so that a script can take it; what is for people goes to stderr. */
    run(flags, json) {
      const descriptor = needed(flags, 'descriptor', ': what the key is for');
      const owner = neededOwner(flags);
      return operate(flags, async (context) => {
        const { id, secret } = await createKey(context, owner, descriptor);
        print(json, { id, descriptor, secret }, secret);
        if (json) return;
        // Where stderr is no terminal it may be a log that is kept, and the key stays out of it.
        console.error(clientSettings(addressOf(configOf(flags)), process.stderr.isTTY ? secret : '<the key>'));
      });
    },
  },
  {
    words: 'keys list',
    says: 'every key, or those of one owner; secrets are nowhere',
    flags: ['user?', 'service-account?', 'organization?'],
    json: true,
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
    says: 'ends a key for every request from now on',
    flags: ['id'],
    json: true,
    run(flags, json) {
      const id = needed(flags, 'id');
      return operate(flags, async (context) => {
        const key = await revokeKeyById(context, id);
        print(json, key, `The key "${key.descriptor}" of ${key.owner ?? 'nobody'} is revoked.`);
      });
    },
  },
];
