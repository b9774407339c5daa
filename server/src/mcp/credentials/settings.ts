/** How people identify themselves at a server behind the gateway, each with an account of their own there. */

/** `personal_credential` of a server's row. */
export type PersonalCredential = PersonalKey | PersonalSignIn;

/** Each person enters an API key. */
export interface PersonalKey {
  readonly kind: 'key';
  /** The header that carries it, in lower case. */
  readonly header: string;
  /** Stands before the key in the header: `Bearer `, with the space. */
  readonly prefix: string;
  /** Tells people where they get a key. */
  readonly help: string;
}

/** Each person signs in at the server's own authorization server. */
export interface PersonalSignIn {
  readonly kind: 'oauth';
  /** Null: the server names it. */
  readonly authorizationServer: string | null;
  /** Null: this gateway registers itself. */
  readonly clientId: string | null;
  /** Null: what the server asks for. */
  readonly scope: string | null;
}

/** The page on which a person connects an account. `origin`: of this server, as the person reaches it. */
export function connectUrlOf(origin: string, organization: string, server: string): string {
  return `${origin}/connect/${organization}/${server}`;
}

export function personalCredentialOf(stored: string): PersonalCredential {
  return JSON.parse(stored) as PersonalCredential;
}

/** What is stored, encrypted, of a person's sign-in. */
export interface StoredTokens {
  readonly accessToken: string;
  readonly refreshToken: string | null;
}
