/** The accounts of people at a server: their settings, and the changes that end them. */

import type { OrganizationContext } from '../../../context/platform-context.ts';
import type { PlatformTx } from '../../../database/store.ts';
import { ValidationFailed } from '../../../errors.ts';
import { upstreamClients, upstreamCredentials } from '../../../mcp/credentials/queries.ts';
import { type PersonalCredential, personalCredentialOf } from '../../../mcp/credentials/settings.ts';
import { hostedConnectionOf } from '../../../mcp/hosting/launch/schema.ts';
import type { ExternalConnection } from '../../../mcp/upstream/external-connection.ts';
import { jsonTextOf } from '../../../values/json.ts';
import type { PersonalCredentialWrite } from '../server/personal-credential-schema.ts';
import type { ServerRow } from '../server/queries.ts';

type PersonalColumns = Pick<ServerRow, 'personal_credential' | 'encrypted_client_secret'>;

/** `known` is the row before the change. The secret of a client stays as long as the client id. */
export function personalColumns(
  { server }: OrganizationContext,
  written: PersonalCredentialWrite | null,
  known: ServerRow | undefined,
): PersonalColumns {
  if (written === null) return { personal_credential: null, encrypted_client_secret: null };
  if (written.kind === 'key') {
    const settings: PersonalCredential = { ...written, header: written.header.toLowerCase() };
    return { personal_credential: jsonTextOf(settings), encrypted_client_secret: null };
  }
  const { clientSecret = null, ...settings } = written;
  const encrypted =
    clientSecret === null ? keptSecret(settings.clientId, known) : server.encryption.encrypt(clientSecret);
  return { personal_credential: jsonTextOf(settings satisfies PersonalCredential), encrypted_client_secret: encrypted };
}

function keptSecret(clientId: string | null, known: ServerRow | undefined): string | null {
  if (clientId === null || !known?.personal_credential) return null;
  const before = personalCredentialOf(known.personal_credential);
  return before.kind === 'oauth' && before.clientId === clientId ? known.encrypted_client_secret : null;
}

type Checked = Pick<ServerRow, 'kind' | 'authentication' | 'connection' | 'personal_credential'>;

/** Throws ValidationFailed if a credential of a person could never reach the server. */
export function checkPersonal({ kind, authentication, connection, personal_credential: stored }: Checked): void {
  if (stored === null) return;
  if (kind === 'builtin') refuse('A built-in server acts with the role of its caller.');
  if (kind === 'remix') refuse('A remix uses the accounts that its users have at its sources.');
  if (authentication === 'none')
    refuse('A server that authenticates its callers itself gets their credentials anyway.');
  if (kind !== 'hosted') return;
  if (hostedConnectionOf(JSON.parse(connection)).transport === 'stdio') {
    refuse('A program over stdio cannot receive headers. Let it serve HTTP (hosted.transport).');
  }
  const settings = personalCredentialOf(stored);
  if (settings.kind === 'oauth' && settings.authorizationServer === null) {
    refuse('A hosted server needs the authorization server (authorizationServer).');
  }
}

function refuse(msg: string): never {
  throw new ValidationFailed([{ type: 'value_error', loc: ['body', 'personalCredential'], msg }]);
}

/** True when credentials of people must not be used for the changed server: it is another place, or of another kind. */
export function endsAccounts(before: ServerRow, after: ServerRow): boolean {
  if (before.personal_credential === null) return false;
  if (after.personal_credential === null) return true;
  if (before.kind === 'external' && originOf(before) !== originOf(after)) return true;
  const [was, is] = [before, after].map(({ personal_credential: stored }) => personalCredentialOf(stored ?? ''));
  if (was?.kind !== is?.kind) return true;
  if (was?.kind !== 'oauth' || is?.kind !== 'oauth') return false;
  return was.authorizationServer !== is.authorizationServer || was.clientId !== is.clientId;
}

function originOf({ connection }: ServerRow): string {
  return new URL((JSON.parse(connection) as ExternalConnection).url).origin;
}

/** Deletes the accounts of people, who must connect again. */
export async function endAccounts(tx: PlatformTx, server_id: string): Promise<void> {
  await upstreamCredentials.removeAll(tx, { server_id });
  await upstreamClients.removeAll(tx, { server_id });
}
