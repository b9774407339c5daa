import { createInterface } from 'node:readline';
import { ConfigError } from '../config.ts';
import { ORGANIZATION_ROLES, type OrganizationRole } from '../identity/access.ts';
import { createUser } from '../platform/operator.ts';
import { changePassword, listUsers, removeUser } from '../platform/operator-users.ts';
import { type Command, needed, operate, print, table } from './command.ts';

export const userCommands: readonly Command[] = [
  {
    words: 'users create',
    says: 'makes a person a member (or, with --role admin, an administrator) of an organization',
    flags: ['email', 'organization?', 'role?', 'name?'],
    json: true,
    run(flags, json) {
      const { organization = 'default', role = 'member', name = null } = flags;
      const email = needed(flags, 'email');
      if (!(ORGANIZATION_ROLES as readonly string[]).includes(role)) {
        throw new ConfigError(`--role is one of ${ORGANIZATION_ROLES.join(', ')}.`);
      }
      return operate(flags, async (context) => {
        const { id } = await createUser(context, { email, name, organization, role: role as OrganizationRole });
        print(json, { id, email, organization, role }, `${email} is ${role} of ${organization}.`);
      });
    },
  },
  {
    words: 'users list',
    says: 'everybody, and how they sign in',
    flags: [],
    json: true,
    run: (flags, json) =>
      operate(flags, async (context) => {
        const users = await listUsers(context);
        const rows = users.map(({ email, name, state, signsInWith, organizations }) => [
          email,
          name ?? '',
          state,
          signsInWith.join(', ') || 'not yet',
          organizations.map(({ slug, role }) => `${slug} (${role})`).join(', '),
        ]);
        print(json, users, table(['ADDRESS', 'NAME', 'STATE', 'SIGNS IN WITH', 'ORGANIZATIONS'], rows));
      }),
  },
  {
    words: 'users password',
    says: 'reads a new password from standard input',
    flags: ['email'],
    json: true,
    /** From standard input, so that it is in no list of processes and no history. */
    run(flags, json) {
      const email = needed(flags, 'email');
      return operate(flags, async (context) => {
        if (process.stdin.isTTY) console.error('New password, then Enter:');
        const lines = createInterface({ input: process.stdin });
        const { value: password = '' } = (await lines[Symbol.asyncIterator]().next()) as { value?: string };
        lines.close();
        await changePassword(context, email, password);
        print(json, { email }, `${email} has a new password. Sessions, API keys and devices of before are ended.`);
      });
    },
  },
  {
    words: 'users remove',
    says: 'ends memberships, sessions and keys of a person',
    flags: ['email'],
    json: true,
    run(flags, json) {
      const email = needed(flags, 'email');
      return operate(flags, async (context) => {
        await removeUser(context, email);
        print(json, { email }, `${email} is removed.`);
      });
    },
  },
];
