import { ORGANIZATION_ROLES } from '../identity/access/access.ts';
import {
  changeServiceAccount,
  createServiceAccount,
  listServiceAccounts,
} from '../platform/operator/service-accounts.ts';
import { type Command, cell, needed, operate, print, table } from './command.ts';
import { accountsOf, pathOfAccount } from './server-accounts.ts';

const done = { suspend: 'Suspended', resume: 'Resumed', remove: 'Removed' };
const says = {
  suspend: 'Suspend a service account. Its keys stop working until it is resumed.',
  resume: 'Resume a suspended service account. Its keys work again.',
  remove: 'Remove a service account and revoke its keys and grants.',
};

export const serviceAccountCommands: readonly Command[] = [
  {
    words: 'service-accounts create',
    says: 'Create an account for a program. "keys create" creates its API key.',
    flags: ['name', 'organization?', 'role?', 'description?'],
    choices: { role: ORGANIZATION_ROLES },
    json: true,
    run(flags, json) {
      const name = needed(flags, 'name');
      const { organization = 'default', role = 'member', description = '' } = flags;
      return operate(flags, async (context) => {
        const { id } = await createServiceAccount(context, { organization, name, role, description });
        print(
          json,
          { id, name, organization, role },
          `Created the service account ${name}, ${role} of ${organization}.`,
        );
      });
    },
  },
  {
    words: 'service-accounts list',
    says: 'List all service accounts, or those of one organization; with --context, those of one organization.',
    flags: ['organization?', 'context?'],
    json: true,
    async remote({ organization = 'default' }, json, server) {
      const accounts = await server.all(accountsOf(organization));
      const rows = accounts.map(({ name, state, role, description }) => [name, state, role, description].map(cell));
      print(json, accounts, table(['NAME', 'STATE', 'ROLE', 'DESCRIPTION'], rows));
    },
    run: (flags, json) =>
      operate(flags, async (context) => {
        const accounts = await listServiceAccounts(context, flags.organization);
        const rows = accounts.map(({ organization, name, role, state, id }) => [organization, name, role, state, id]);
        print(json, accounts, table(['ORGANIZATION', 'NAME', 'ROLE', 'STATE', 'ID'], rows));
      }),
  },
  ...(['suspend', 'resume', 'remove'] as const).map(
    (verb): Command => ({
      words: `service-accounts ${verb}`,
      says: says[verb],
      flags: ['name', 'organization?', 'context?'],
      json: true,
      async remote(flags, json, server) {
        const name = needed(flags, 'name');
        const { organization = 'default' } = flags;
        const path = await pathOfAccount(server, organization, name);
        if (verb === 'remove') await server.call('DELETE', path);
        else await server.call('POST', `${path}/${verb}`);
        print(json, { name, organization }, `${done[verb]} the service account ${name} of ${organization}.`);
      },
      run(flags, json) {
        const name = needed(flags, 'name');
        const { organization = 'default' } = flags;
        return operate(flags, async (context) => {
          const account = await changeServiceAccount(context, { name, organization }, verb);
          print(json, { ...account, organization }, `${done[verb]} the service account ${name} of ${organization}.`);
        });
      },
    }),
  ),
];
