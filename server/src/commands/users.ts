import { createInterface } from 'node:readline';
import { ORGANIZATION_ROLES, type OrganizationRole } from '../identity/access/access.ts';
import { namingPrivateHosts, PRIVATE_TARGETS_CURE } from '../identity/targets/private-targets.ts';
import { createUser } from '../platform/operator/operator.ts';
import {
  changePassword,
  changeUserState,
  listUsers,
  removeUser,
  unlinkUserOfAddress,
} from '../platform/operator/users.ts';
import { type Command, needed, operate, print, table } from './command.ts';

export const userCommands: readonly Command[] = [
  {
    words: 'users create',
    says: 'Add a person to an organization as a member or, with --role admin, as an administrator.',
    flags: ['email', 'organization?', 'role?', 'name?'],
    choices: { role: ORGANIZATION_ROLES },
    json: true,
    run(flags, json) {
      const { organization = 'default', role = 'member', name = null } = flags;
      const email = needed(flags, 'email');
      return operate(flags, async (context, operator) => {
        const lost = await operator.lostTargets();
        const { id } = await createUser(context, { email, name, organization, role: role as OrganizationRole });
        const naming = lost && namingPrivateHosts(lost);
        const warning =
          naming &&
          `This is the first account: private targets are refused from now on, and ${naming}. ${PRIVATE_TARGETS_CURE}`;
        const text = `${email} is now ${role === 'admin' ? 'an administrator' : 'a member'} of the organization ${organization}.`;
        print(
          json,
          { id, email, organization, role, ...(naming && { privateTargets: lost }) },
          warning ? `${text}\n${warning}` : text,
        );
      });
    },
  },
  {
    words: 'users list',
    says: 'List all people and how they sign in.',
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
    says: 'Set a new password, read from standard input. Earlier sessions, API keys and devices of the person stop working.',
    flags: ['email'],
    json: true,
    /** Reads the password from standard input, so that it appears in no list of processes and no shell history. */
    run(flags, json) {
      const email = needed(flags, 'email');
      return operate(flags, async (context) => {
        if (process.stdin.isTTY) console.error('New password, then Enter:');
        const lines = createInterface({ input: process.stdin });
        const { value: password = '' } = (await lines[Symbol.asyncIterator]().next()) as { value?: string };
        lines.close();
        await changePassword(context, email, password);
        print(json, { email }, `${email} has a new password. Earlier sessions, API keys and devices no longer work.`);
      });
    },
  },
  {
    words: 'users remove',
    says: 'Remove a person and end their memberships, sessions and API keys.',
    flags: ['email'],
    json: true,
    run(flags, json) {
      const email = needed(flags, 'email');
      return operate(flags, async (context) => {
        await removeUser(context, email);
        print(json, { email }, `Removed ${email}.`);
      });
    },
  },
  ...(['suspend', 'reactivate'] as const).map(
    (verb): Command => ({
      words: `users ${verb}`,
      says:
        verb === 'suspend'
          ? 'Suspend a person. Their sessions, API keys and devices stop working; memberships, grants and the password stay.'
          : 'Let a suspended person sign in again. Ended API keys stay ended.',
      flags: ['email'],
      json: true,
      run(flags, json) {
        const email = needed(flags, 'email');
        const state = verb === 'suspend' ? 'suspended' : 'active';
        return operate(flags, async (context) => {
          await changeUserState(context, email, state);
          print(json, { email, state }, `${email} is ${state}.`);
        });
      },
    }),
  ),
  {
    words: 'users unlink',
    says: 'Unlink a person from the identity provider, and end their sessions, API keys and devices. The next sign-in with the address gets the account.',
    flags: ['email'],
    json: true,
    run(flags, json) {
      const email = needed(flags, 'email');
      return operate(flags, async (context) => {
        await unlinkUserOfAddress(context, email);
        print(json, { email }, `${email} is no longer linked to an identity provider.`);
      });
    },
  },
];
