/** The credential that the gateway sends to an external server, in requests, answers and the database. */
import type { ExternalCredential } from '../../../mcp/upstream/external-connection.ts';
import { branch, Literal, Nullable, refine, Shape, type Static, Type, withDefault } from '../../../schema/kinds.ts';
import { HeaderName, HttpUrl, Secret } from './connection-fields.ts';

export const MAX_HEADERS = 8;

const NoCredential = Shape('NoCredential', { kind: Literal('none') });
const clientCredentials = {
  kind: Literal('client_credentials'),
  tokenUrl: HttpUrl,
  clientId: Type.String({ minLength: 1, maxLength: 500 }),
  scope: withDefault(Nullable(Type.String({ maxLength: 1000 })), null),
};

const SecretHeaders = refine(
  Type.Array(Shape('SecretHeader', { name: HeaderName, secret: Secret }), { minItems: 1, maxItems: MAX_HEADERS }),
  (headers) => {
    const names = headers.map(({ name }) => name.toLowerCase());
    return new Set(names).size === names.length ? undefined : 'must not repeat a header';
  },
);

export const UpstreamCredentialWrite = Type.Union([
  branch('none', NoCredential),
  branch('bearer', Shape('BearerCredentialWrite', { kind: Literal('bearer'), secret: Secret })),
  branch('header', Shape('HeaderCredentialWrite', { kind: Literal('header'), name: HeaderName, secret: Secret })),
  branch('headers', Shape('HeadersCredentialWrite', { kind: Literal('headers'), headers: SecretHeaders })),
  branch('client_credentials', Shape('ClientCredentialsWrite', { ...clientCredentials, secret: Secret })),
]);
export type UpstreamCredentialWrite = Static<typeof UpstreamCredentialWrite>;

const HeaderOfCredential = Shape('HeaderOfCredential', { name: Type.String() }, 'ignore');

/** The credential in answers: without secrets. */
export const UpstreamCredential = Type.Union([
  branch('none', NoCredential),
  branch('bearer', Shape('BearerCredential', { kind: Literal('bearer') }, 'ignore')),
  branch('header', Shape('HeaderCredential', { kind: Literal('header'), name: Type.String() }, 'ignore')),
  branch(
    'headers',
    Shape('HeadersCredential', { kind: Literal('headers'), headers: Type.Array(HeaderOfCredential) }, 'ignore'),
  ),
  branch('client_credentials', Shape('ClientCredentials', clientCredentials, 'ignore')),
]);

/** The part that is stored in plain text, and the part that is stored encrypted; null if there is none. */
export function separated(written: UpstreamCredentialWrite): {
  readonly credential: ExternalCredential;
  readonly secret: string | null;
} {
  switch (written.kind) {
    case 'none':
      return { credential: written, secret: null };
    case 'headers': {
      const secrets = written.headers.map(({ name, secret }) => [name.toLowerCase(), secret]);
      const headers = written.headers.map(({ name }) => ({ name }));
      return { credential: { kind: 'headers', headers }, secret: JSON.stringify(Object.fromEntries(secrets)) };
    }
    default: {
      const { secret, ...credential } = written;
      return { credential, secret };
    }
  }
}
