/** The connection to an external server as a form holds it. */
import type { ExternalWrite } from './actions.ts';
import type { Server } from './queries.ts';

export const credentialKinds = [
  ['none', 'none'],
  ['bearer', 'Bearer token'],
  ['header', 'Header of its own'],
  ['client_credentials', 'OAuth client credentials'],
] as const;

export type CredentialKind = (typeof credentialKinds)[number][0];

export interface ConnectionForm {
  readonly url: string;
  readonly kind: CredentialKind;
  readonly secret: string;
  readonly header: string;
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly scope: string;
}

export const emptyConnection: ConnectionForm = {
  url: '',
  kind: 'none',
  secret: '',
  header: 'X-API-Key',
  tokenUrl: '',
  clientId: '',
  scope: '',
};

/** Without the secret, which no answer contains. */
export function connectionFormOf(external: NonNullable<Server['external']>): ConnectionForm {
  const { url, credential } = external;
  const { name, tokenUrl, clientId, scope } = credential as Readonly<Record<string, string | null | undefined>>;
  return {
    ...emptyConnection,
    url,
    kind: credential.kind,
    ...(name ? { header: name } : {}),
    tokenUrl: tokenUrl ?? '',
    clientId: clientId ?? '',
    scope: scope ?? '',
  };
}

export function credentialOf(form: ConnectionForm): NonNullable<ExternalWrite['credential']> {
  const { kind, secret, header, tokenUrl, clientId, scope } = form;
  switch (kind) {
    case 'none':
      return { kind };
    case 'bearer':
      return { kind, secret };
    case 'header':
      return { kind, name: header, secret };
    case 'client_credentials':
      return { kind, tokenUrl, clientId, scope: scope || null, secret };
  }
}
