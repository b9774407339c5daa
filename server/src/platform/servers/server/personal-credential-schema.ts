/** The settings for people with their own accounts at a server, in requests and answers. */
import {
  branch,
  described,
  Literal,
  Maybe,
  Nullable,
  refine,
  Shape,
  type Static,
  Type,
  withDefault,
} from '../../../schema/kinds.ts';
import { HeaderName, HttpUrl, Secret } from './connection-fields.ts';

/** The text before a key in a header, so it ends where the key begins. */
const Prefix = refine(Type.String({ maxLength: 50 }), (text) =>
  /^[\x20-\x7e]*$/.test(text) ? undefined : 'must be printable ASCII',
);

const key = {
  kind: Literal('key'),
  header: described(withDefault(HeaderName, 'authorization'), 'The header for the key of a person.'),
  prefix: described(withDefault(Prefix, 'Bearer '), 'Text before the key in the header.'),
  help: described(withDefault(Type.String({ maxLength: 2000 }), ''), 'Text that tells people where to get a key.'),
};

const signIn = {
  kind: Literal('oauth'),
  authorizationServer: described(
    withDefault(Nullable(HttpUrl), null),
    'The issuer at which people sign in. Null: the server names it. A hosted server cannot name one.',
  ),
  clientId: described(
    withDefault(Nullable(Type.String({ minLength: 1, maxLength: 500 })), null),
    'Client id of the gateway there. Null: the gateway registers itself.',
  ),
  scope: described(
    withDefault(Nullable(Type.String({ minLength: 1, maxLength: 1000 })), null),
    'Requested scopes, separated by spaces. Null: the scopes that the server names.',
  ),
};

export const PersonalCredentialWrite = Type.Union([
  branch('key', Shape('PersonalKeyWrite', key)),
  branch(
    'oauth',
    Shape('PersonalSignInWrite', {
      ...signIn,
      clientSecret: described(
        Maybe(Secret),
        'Client secret, stored encrypted. If omitted, the secret of the same client id stays.',
      ),
    }),
  ),
]);
export type PersonalCredentialWrite = Static<typeof PersonalCredentialWrite>;

export const PersonalCredential = Type.Union([
  branch('key', Shape('PersonalKey', key, 'ignore')),
  branch('oauth', Shape('PersonalSignIn', signIn, 'ignore')),
]);
