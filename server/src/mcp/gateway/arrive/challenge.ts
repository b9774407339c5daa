/** Tells a refused client how a person can sign it in. */
import type { IncomingMessage } from 'node:http';
import type { Config } from '../../../config.ts';
import { mcpScopesOf, scopeFor } from '../../../identity/callers/oauth-scopes.ts';
import { oauthPlaceOfServer, resourceMetadataUrl } from '../../../network/oauth-place.ts';
import { addressOf, servingPath } from './address.ts';
import * as refusals from './refusals.ts';
import type { ServerAccess, ServerFacts } from './server-access.ts';

/** The refusal of a decision about access. */
export function refusalOf(
  { status, says }: { readonly status: 401 | 403 | 404; readonly says?: string | undefined },
  config: Config,
  request: IncomingMessage,
  server: ServerFacts | undefined,
): refusals.Refusal {
  if (status === 404) return refusals.NOT_FOUND;
  if (status === 403) return says === undefined ? refusals.FORBIDDEN : refusals.refusedKey(says);
  return refusals.unauthorized(request.headers.authorization !== undefined, metadataUrl(config, request, server), says);
}

/**
 * Undefined when the client may send the message: a key may send every message, a client those within its granted
 * scope.
 */
export function scopeRefusal(
  { server, connection }: ServerAccess,
  method: string | null,
  config: Config,
  request: IncomingMessage,
): refusals.Refusal | undefined {
  const needed = scopeFor(method);
  if (!connection || mcpScopesOf(connection.scope).includes(needed)) return undefined;
  return refusals.insufficientScope(needed, metadataUrl(config, request, server));
}

/** Returns the same for an address of no server, so that the answer does not reveal which exist. */
function metadataUrl(config: Config, request: IncomingMessage, server: ServerFacts | undefined): string | undefined {
  if (server && server.authentication !== 'platform') return undefined;
  const address = addressOf(request.url ?? '');
  const place = address && oauthPlaceOfServer(config, request);
  return place && resourceMetadataUrl(place, servingPath(address.organization, address.server));
}
