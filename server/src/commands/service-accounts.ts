import { ORGANIZATION_ROLES } from '../identity/access/access.ts';
import { isJsonObject } from '../values/json.ts';
import { organizationPath } from './api.ts';
import { type Command, needed, print, printList } from './command.ts';

const done = { suspend: 'Suspended', resume: 'Resumed', remove: 'Removed' };
const says = {
  suspend: 'Suspend a service account. Its keys stop working until it is resumed.',
  resume: 'Resume a suspended service account. Its keys work again.',
  remove: 'Remove a service account and revoke its keys and grants.',
};

export const serviceAccountCommands: readonly Command[] = [
  {
    words: 'service-accounts create',
    says: 'Create an account for a program. "keys create" creates its API key; with --context, the account has a first key, which is printed once.',
    flags: ['name', 'organization?', 'role?', 'description?', 'context?'],
    choices: { role: ORGANIZATION_ROLES },
    json: true,
    async ask(flags, json, api) {
      const name = needed(flags, 'name');
      const { organization = 'default', role = 'member', description = '' } = flags;
      const body = { name, role, description };
      const { serviceAccount, secret } = await api.send(
        'POST',
        organizationPath(organization, '/service-accounts'),
        body,
      );
      const made = `Created the service account ${name}, ${role} of ${organization}.`;
      const account = { ...(isJsonObject(serviceAccount) ? serviceAccount : {}), organization };
      if (secret === undefined) print(json, account, made);
      else print(json, { ...account, secret }, `${made} Its first key: ${secret}`);
    },
  },
  {
    words: 'service-accounts list',
    says: 'List all service accounts, or those of one organization.',
    flags: ['organization?', 'context?'],
    json: true,
    ask: async ({ organization }, json, api) =>
      printList(json, await api.allOf('/service-accounts', organization, api.administered), {
        ORGANIZATION: 'organization',
        NAME: 'name',
        ROLE: 'role',
        STATE: 'state',
        ID: 'id',
      }),
  },
  ...(['suspend', 'resume', 'remove'] as const).map(
    (verb): Command => ({
      words: `service-accounts ${verb}`,
      says: says[verb],
      flags: ['name', 'organization?', 'context?'],
      json: true,
      async ask(flags, json, api) {
        const name = needed(flags, 'name');
        const { organization = 'default' } = flags;
        const path = await api.accountPath(organization, name);
        if (verb === 'remove') await api.call('DELETE', path);
        else await api.call('POST', `${path}/${verb}`);
        print(json, { name, organization }, `${done[verb]} the service account ${name} of ${organization}.`);
      },
    }),
  ),
];
