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
  header: described(withDefault(HeaderName, 'authorization'), 'The header that carries the key of a person.'),
  prefix: described(withDefault(Prefix, 'Bearer '), 'Stands before the key in the header.'),
  help: described(withDefault(Type.String({ maxLength: 2000 }), ''), 'Tells people where they get a key.'),
};

const signIn = {
  kind: Literal('oauth'),
  authorizationServer: described(
    withDefault(Nullable(HttpUrl), null),
    'The issuer at which people sign in. Null: the server names it. A hosted server names none.',
  ),
  clientId: described(
    withDefault(Nullable(Type.String({ minLength: 1, maxLength: 500 })), null),
    'Who the gateway is there. Null: it registers itself.',
  ),
  scope: described(
    withDefault(Nullable(Type.String({ minLength: 1, maxLength: 1000 })), null),
    'What is asked for, with spaces. Null: what the server names.',
  ),
};

export const PersonalCredentialWrite = Type.Union([
  branch('key', Shape('PersonalKeyWrite', key)),
  branch(
    'oauth',
    Shape('PersonalSignInWrite', {
      ...signIn,
      clientSecret: described(Maybe(Secret), 'Stored encrypted. Without it, that of the same client id stays.'),
    }),
  ),
]);
export type PersonalCredentialWrite = Static<typeof PersonalCredentialWrite>;

export const PersonalCredential = Type.Union([
  branch('key', Shape('PersonalKey', key, 'ignore')),
  branch('oauth', Shape('PersonalSignIn', signIn, 'ignore')),
]);
