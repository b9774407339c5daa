/** A request as the OAuth library gets it: nothing that a client can say about its address, and no cookie but the library's. */
import { IncomingMessage } from 'node:http';
import type { ProtocolRequest } from '../../authorization-server.ts';
import { mcpScopesOf } from '../../identity/oauth-scopes.ts';

/** The names of all cookies of the library begin so. */
export const OAUTH_COOKIE_PREFIX = 'signalbox_oauth_';

export function libraryRequest({ place, request, contentType, body }: ProtocolRequest): IncomingMessage {
  const issuer = new URL(place.issuer);
  const given = new IncomingMessage(request.socket);
  given.method = request.method;
  given.url = addressFor(request.url ?? '/');
  // The library finds the path that a proxy adds by comparing the two.
  Object.assign(given, { originalUrl: (issuer.pathname === '/' ? '' : issuer.pathname) + given.url });
  const { accept, cookie = '' } = request.headers;
  if (accept !== undefined) given.headers.accept = accept;
  given.headers.cookie = cookie
    .split(/;\s*/)
    .filter((one) => one.startsWith(OAUTH_COOKIE_PREFIX))
    .join('; ');
  given.headers.host = issuer.host;
  given.headers['x-forwarded-proto'] = issuer.protocol.slice(0, -1);
  if (body !== undefined) {
    given.headers['content-length'] = String(body.length);
    if (contentType !== undefined) given.headers['content-type'] = contentType;
    given.push(body);
  }
  given.push(null);
  given.complete = true;
  return given;
}

/**
 * An authorization asks for scopes of ours: a client that names none, or only others, asks for all of them. The answer
 * to the token request names those that were given. Source: RFC 6749, section 3.3.
 */
function addressFor(address: string): string {
  const { pathname, searchParams } = new URL(address, 'http://localhost');
  if (pathname !== '/oauth/authorize') return address;
  searchParams.set('scope', mcpScopesOf(searchParams.get('scope') ?? undefined).join(' '));
  return `${pathname}?${searchParams}`;
}
