/**
 * The rules for clients that describe themselves, by registration or by a metadata document. All clients are public: a
 * program on a person's machine keeps no secret, so codes are bound by PKCE.
 */

const MAX_REDIRECT_URIS = 20;
const MAX_URI_CHARACTERS = 500;
const MAX_NAME_CHARACTERS = 100;
/** Characters that are invisible, or that change the order of others, on the consent page. */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** Private URI schemes of known programs. Any program may claim a scheme, so only known ones are accepted. */
const PRIVATE_SCHEMES: ReadonlySet<string> = new Set([
  'cursor:',
  'vscode:',
  'vscode-insiders:',
  'claude:',
  'windsurf:',
  'zed:',
  'jetbrains:',
  'raycast:',
  'com.raycast:',
]);
const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** The reason why a client is refused, in the terms of RFC 7591. */
interface ClientProblem {
  readonly error: 'invalid_redirect_uri' | 'invalid_client_metadata';
  readonly error_description: string;
}

type Metadata = Readonly<Record<string, unknown>>;

/** Removes empty fields, because many programs send every field that they know. */
export function givenIn(metadata: Metadata): Metadata {
  return Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== '' && value !== null));
}

/** Undefined when the client is acceptable. */
export function problemOfClient(metadata: Metadata): ClientProblem | undefined {
  const { redirect_uris: uris, client_name: name } = metadata;
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > MAX_REDIRECT_URIS) {
    return wrongRedirect(`redirect_uris must be a list of 1 to ${MAX_REDIRECT_URIS} addresses.`);
  }
  for (const uri of uris) {
    const problem = typeof uri === 'string' ? problemOfRedirectUri(uri) : 'must be text';
    if (problem !== undefined) return wrongRedirect(`Each of redirect_uris ${problem}.`);
  }
  if (name !== undefined && (typeof name !== 'string' || name.length > MAX_NAME_CHARACTERS)) {
    return {
      error: 'invalid_client_metadata',
      error_description: `client_name must be text of at most ${MAX_NAME_CHARACTERS} characters.`,
    };
  }
  if (name !== undefined && UNSEEN.test(name)) {
    return {
      error: 'invalid_client_metadata',
      error_description:
        'client_name must not contain control characters or characters that change the direction of text.',
    };
  }
  return undefined;
}

function wrongRedirect(error_description: string): ClientProblem {
  return { error: 'invalid_redirect_uri', error_description };
}

/** Continues "Each of redirect_uris …"; undefined for an acceptable address. */
function problemOfRedirectUri(uri: string): string | undefined {
  const url = URL.parse(uri);
  if (uri.length > MAX_URI_CHARACTERS || !url || /[\s\p{Cc}\\*]/u.test(uri)) return 'must be an absolute address';
  if (url.hash !== '' || uri.includes('#')) return 'must not have a fragment';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (url.protocol === 'https:' && !LOOPBACK_HOSTS.has(url.hostname)) return undefined;
  if (url.protocol === 'http:' && LOOPBACK_HOSTS.has(url.hostname)) return undefined;
  if (PRIVATE_SCHEMES.has(url.protocol)) return undefined;
  return `must be an https address, http on a loopback address, or of a known scheme (${[...PRIVATE_SCHEMES].join(', ')})`;
}

/**
 * The metadata in the stored form. `native` lets the port of a loopback address vary, as RFC 8252 requires;
 * authentication by a secret becomes none.
 */
export function normalMetadata(metadata: Metadata): Metadata {
  const {
    client_id,
    client_name,
    client_uri,
    redirect_uris,
    jwks,
    jwks_uri,
    token_endpoint_auth_method: method,
  } = metadata;
  const isSigned = method === 'private_key_jwt';
  const kept = {
    client_id,
    client_name,
    client_uri,
    redirect_uris,
    ...(isSigned ? { jwks, jwks_uri } : {}),
    token_endpoint_auth_method: isSigned ? method : 'none',
    application_type: 'native',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  };
  return Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined));
}
