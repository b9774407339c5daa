import { DateTime, described, Enum, Nullable, Shape, type Static, Type, Uuid } from '../../../schema/kinds.ts';
import { List } from '../../page.ts';
import { Secret } from '../server/connection-fields.ts';

const AccountState = Enum('ServerAccountState', ['missing', 'connected', 'ended']);

export const ServerAccount = Shape(
  'ServerAccount',
  {
    kind: Enum('ServerAccountKind', ['key', 'oauth']),
    state: described(AccountState, '`ended`: the person must connect again; `problem` says why.'),
    problem: Nullable(Type.String()),
    scope: described(
      Nullable(Type.String()),
      'Scopes of the sign-in, separated by spaces, if the other server names them.',
    ),
    connectedAt: Nullable(DateTime()),
    connectUrl: described(Type.String(), 'The page on which a person who is signed in connects the account.'),
  },
  'ignore',
);
export type ServerAccount = Static<typeof ServerAccount>;

export const ServerAccountPut = Shape('ServerAccountPut', {
  key: described(Secret, "The person's key for the server. It is stored encrypted and never returned."),
});

export const ConnectedAccount = Shape(
  'ConnectedAccount',
  {
    userId: Uuid(),
    email: Type.String(),
    name: Nullable(Type.String()),
    kind: Enum('ServerAccountKind', ['key', 'oauth']),
    state: AccountState,
    problem: Nullable(Type.String()),
    connectedAt: DateTime(),
  },
  'ignore',
);
export type ConnectedAccount = Static<typeof ConnectedAccount>;

export const ConnectedAccountList = List('ConnectedAccountList', ConnectedAccount);

export const OwnServerAccount = Shape(
  'OwnServerAccount',
  {
    id: Uuid(),
    server: Shape(
      'AccountServer',
      { id: Uuid(), name: Type.String(), slug: Type.String(), organization: Type.String() },
      'ignore',
    ),
    kind: Enum('ServerAccountKind', ['key', 'oauth']),
    state: AccountState,
    problem: Nullable(Type.String()),
    connectedAt: DateTime(),
    connectUrl: Type.String(),
  },
  'ignore',
);
export type OwnServerAccount = Static<typeof OwnServerAccount>;

export const OwnServerAccountList = List('OwnServerAccountList', OwnServerAccount);
