/** The ways in which people authenticate at a server behind the gateway, each with an account of their own there. */

/** `personal_credential` of a server's row. */
export type PersonalCredential = PersonalKey | PersonalSignIn;

/** Each person enters an API key. */
export interface PersonalKey {
  readonly kind: 'key';
  /** The header for the key, in lower case. */
  readonly header: string;
  /** The text before the key in the header, such as `Bearer ` with the space. */
  readonly prefix: string;
  /** Tells people where to get a key. */
  readonly help: string;
}

/** Each person signs in at the server's own authorization server. */
export interface PersonalSignIn {
  readonly kind: 'oauth';
  /** Null if the server names it. */
  readonly authorizationServer: string | null;
  /** Null if this gateway registers itself. */
  readonly clientId: string | null;
  /** Null for the scope that the server requests. */
  readonly scope: string | null;
}

/** The page on which a person connects an account. `origin` is the address of this server for the person. */
export function connectUrlOf(origin: string, organization: string, server: string): string {
  return `${origin}/connect/${organization}/${server}`;
}

export function personalCredentialOf(stored: string): PersonalCredential {
  return JSON.parse(stored) as PersonalCredential;
}

/** The stored form of a person's sign-in, before encryption. */
export interface StoredTokens {
  readonly accessToken: string;
  readonly refreshToken: string | null;
}
