/** `connection` of an external server. */
export interface ExternalConnection {
  readonly url: string;
  readonly credential: ExternalCredential;
  /** Seconds until an answer must begin. */
  readonly answerSeconds: number;
}

/** The credential for the upstream; the secret itself is stored separately. */
export type ExternalCredential =
  | { readonly kind: 'none' }
  | { readonly kind: 'bearer' }
  | { readonly kind: 'header'; readonly name: string }
  /** The secret is an object of the header values, by their names in lower case. */
  | { readonly kind: 'headers'; readonly headers: readonly { readonly name: string }[] }
  | {
      readonly kind: 'client_credentials';
      readonly tokenUrl: string;
      readonly clientId: string;
      readonly scope: string | null;
    };
