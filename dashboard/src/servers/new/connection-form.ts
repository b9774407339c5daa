/** The form's model of the connection to an external server. */
import type { ExternalWrite } from '../actions.ts';
import type { Server } from '../queries.ts';

export const credentialKinds = [
  ['none', 'none'],
  ['bearer', 'Bearer token'],
  ['header', 'Header of its own'],
  ['headers', 'Several headers'],
  ['client_credentials', 'OAuth client credentials'],
] as const;

/** Most headers that the gateway sends. */
export const MAX_HEADERS = 8;

export type CredentialKind = (typeof credentialKinds)[number][0];

export interface SecretHeader {
  readonly name: string;
  readonly secret: string;
}

export interface ConnectionForm {
  readonly url: string;
  readonly credential: CredentialKind;
  readonly secret: string;
  readonly name: string;
  readonly headers: readonly SecretHeader[];
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly scope: string;
}

export const emptyConnection: ConnectionForm = {
  url: '',
  credential: 'none',
  secret: '',
  name: 'X-API-Key',
  headers: [
    { name: 'X-API-Key', secret: '' },
    { name: '', secret: '' },
  ],
  tokenUrl: '',
  clientId: '',
  scope: '',
};

/** Has no secret, because no answer contains it. */
export function connectionFormOf(external: NonNullable<Server['external']>): ConnectionForm {
  const { url, credential } = external;
  const { name, tokenUrl, clientId, scope } = credential as Readonly<Record<string, string | null | undefined>>;
  return {
    ...emptyConnection,
    url,
    credential: credential.kind,
    ...(name ? { name } : {}),
    ...(credential.kind === 'headers' ? { headers: credential.headers.map(({ name }) => ({ name, secret: '' })) } : {}),
    tokenUrl: tokenUrl ?? '',
    clientId: clientId ?? '',
    scope: scope ?? '',
  };
}

/** Clears the typed secrets, because they are stored now. */
export function withoutSecrets(form: ConnectionForm): ConnectionForm {
  return { ...form, secret: '', headers: form.headers.map(({ name }) => ({ name, secret: '' })) };
}

/** True if the credential is unchanged, so that the stored secret applies. */
export function keepsCredential(form: ConnectionForm, external: Server['external']): boolean {
  if (!external || form.credential === 'none') return false;
  return JSON.stringify(credentialOf(form)) === JSON.stringify(credentialOf(connectionFormOf(external)));
}

export function credentialOf(form: ConnectionForm): NonNullable<ExternalWrite['credential']> {
  const { credential: kind, secret, name, headers, tokenUrl, clientId, scope } = form;
  switch (kind) {
    case 'none':
      return { kind };
    case 'bearer':
      return { kind, secret };
    case 'header':
      return { kind, name, secret };
    case 'headers':
      return { kind, headers: [...headers] };
    case 'client_credentials':
      return { kind, tokenUrl, clientId, scope: scope || null, secret };
  }
}
