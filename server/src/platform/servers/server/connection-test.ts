/** Tries a connection to an external server without storing it. */

import type { OrganizationContext } from '../../../context/platform-context.ts';
import { ValidationFailed } from '../../../errors.ts';
import { discover, type Manifest } from '../../../mcp/manifest/discovery.ts';
import type { ExternalConnection } from '../../../mcp/upstream/external-connection.ts';
import { UpstreamError } from '../../../mcp/upstream/upstream.ts';
import { serverFor } from './access.ts';
import type { ConnectionTestBody, ConnectionTestResult, ExternalUpdate } from './schema.ts';
import { separated } from './upstream-credential.ts';

const ANSWER_SECONDS = 20;

/** Applies the same rules to addresses as for a stored connection. Throws ValidationFailed if the URL is missing. */
export async function testConnection(
  context: OrganizationContext,
  { external, server }: ConnectionTestBody,
): Promise<ConnectionTestResult> {
  const { connection, secret } = await connectionOf(context, external, server);
  const began = performance.now();
  const read = await readOnce(context, connection, secret);
  const durationMicroseconds = Math.round((performance.now() - began) * 1000);
  if (read instanceof UpstreamError) return { ...nothing, error: read.message, durationMicroseconds };
  return {
    error: null,
    durationMicroseconds,
    eras: [...read.eras],
    serverInfo: read.serverInfo && JSON.parse(JSON.stringify(read.serverInfo)),
    instructions: read.instructions,
    tools: read.tools.map(({ name }) => String(name)),
    prompts: read.prompts.map(({ name }) => String(name)),
    resources: [
      ...read.resources.map(({ uri }) => String(uri)),
      ...read.resourceTemplates.map(({ uriTemplate }) => String(uriTemplate)),
    ],
  };
}

const nothing = { eras: [], serverInfo: null, instructions: null, tools: [], prompts: [], resources: [] };

async function readOnce(
  { server }: OrganizationContext,
  connection: ExternalConnection,
  secret: string,
): Promise<Manifest | UpstreamError> {
  try {
    const { upstream, close } = await server.upstreams.openOnce(connection, secret);
    try {
      return await discover(upstream);
    } finally {
      await close();
    }
  } catch (error) {
    if (error instanceof UpstreamError) return error;
    throw error;
  }
}

async function connectionOf(
  context: OrganizationContext,
  { url, credential, answerSeconds = ANSWER_SECONDS }: ExternalUpdate,
  idOrSlug: string | null,
): Promise<{ connection: ExternalConnection; secret: string }> {
  const row = idOrSlug === null ? undefined : await serverFor(context, idOrSlug, 'editor');
  const known = row?.kind === 'external' ? (JSON.parse(row.connection) as ExternalConnection) : undefined;
  const address = url ?? known?.url;
  if (address === undefined) refuse('url', 'Enter the URL of the server.');
  if (credential) {
    const written = separated(credential);
    return {
      connection: { url: address, answerSeconds, credential: written.credential },
      secret: written.secret ?? '',
    };
  }
  const stored = row?.encrypted_credential ?? null;
  if (!known || stored === null) {
    return {
      connection: { url: address, answerSeconds, credential: known?.credential ?? { kind: 'none' } },
      secret: '',
    };
  }
  // The secret was given only for the earlier origin.
  if (new URL(address).origin !== new URL(known.url).origin) {
    refuse('credential', 'The URL has another origin. Send the credential again, or {"kind": "none"}.');
  }
  const secret = context.server.encryption.decrypt(stored);
  return { connection: { url: address, answerSeconds, credential: known.credential }, secret };
}

function refuse(field: string, msg: string): never {
  throw new ValidationFailed([{ type: 'value_error', loc: ['body', 'external', field], msg }]);
}
