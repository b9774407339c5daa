import { isEmailAddress } from '../../../identity/people/email-address.ts';
import { refine, Shape, type Static, Type } from '../../../schema/kinds.ts';
import { User } from '../../users/schema.ts';

export const MIN_PASSWORD_LENGTH = 12;

/** Only the length counts, without rules about kinds of characters. Source: NIST SP 800-63B. */
export const Password = refine(Type.String({ minLength: MIN_PASSWORD_LENGTH, maxLength: 1000 }), () => undefined);

export const EmailAddress = refine(Type.String({ maxLength: 254 }), (text) =>
  isEmailAddress(text) ? undefined : 'must be an email address',
);

export const SignIn = Shape('SignIn', {
  email: Type.String({ maxLength: 254 }),
  password: Type.String({ maxLength: 1000 }),
});
export type SignIn = Static<typeof SignIn>;

/** `csrfToken` goes into the header `x-csrf-token` of every change with the session. */
export const Session = Shape('Session', { user: User, csrfToken: Type.String() }, 'ignore');

/** The messages of a form for invalid fields. */
export const accountSentences = {
  name: 'Enter your name, in at most 200 characters.',
  email: 'This is not an email address.',
  password: `Use at least ${MIN_PASSWORD_LENGTH} characters, and at most 1000.`,
};
