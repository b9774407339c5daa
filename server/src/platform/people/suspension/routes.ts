import { platformRoutes } from '../../../http/routes/platform-routes.ts';
import { answerOf } from '../../answer-of.ts';
import { checkOperator } from '../../operators.ts';
import { unlinkUser } from '../oidc/unlink.ts';
import { setUserState } from './operations.ts';
import { UserAccount } from './schema.ts';

const { post } = platformRoutes('Users', 'actor');

const accountOf = answerOf(UserAccount);

const stateRoutes = (['suspend', 'reactivate'] as const).map((verb) =>
  post(`/users/{userId}/${verb}`, `${verb}User`, {
    summary: verb === 'suspend' ? 'Suspend a person' : 'Reactivate a person',
    description:
      verb === 'suspend'
        ? 'Ends the sessions, keys and devices of a person, who cannot sign in until the account is active again. Memberships, grants and the password stay. Operators only. 409 `last_admin` for the last administrator of an organization.'
        : 'The person may sign in again, with the same memberships and grants. Ended sessions and keys stay ended. Operators only.',
    ...(verb === 'suspend' ? { conflicts: ['last_admin'] } : {}),
    answers: UserAccount,
    handler: async ({ context, path }) => {
      await checkOperator(context, `Persons are ${verb}${verb === 'suspend' ? 'ed' : 'd'}`);
      return accountOf(await setUserState(context, path.userId, verb === 'suspend' ? 'suspended' : 'active'));
    },
  }),
);

const unlinkRoute = post('/users/{userId}/unlink', 'unlinkUser', {
  summary: 'Unlink a person from the identity provider',
  description:
    'Removes the link between the account and the identity provider, and ends the sessions, keys and devices. The next sign-in with the verified address gets the account. Operators only. 409 `not_linked` for a person who has not signed in through a provider.',
  conflicts: ['not_linked'],
  answers: UserAccount,
  handler: async ({ context, path }) => {
    await checkOperator(context, 'Persons are unlinked');
    return accountOf(await unlinkUser(context, path.userId));
  },
});

export const suspensionRoutes = [...stateRoutes, unlinkRoute];
