/**
 * Prepares a request for the OAuth library: it contains no address that the client claims, and no cookies but the
 * library's.
 */
import { IncomingMessage } from 'node:http';
import type { ProtocolRequest } from '../../context/authorization-server.ts';
import { mcpScopesOf } from '../../identity/callers/oauth-scopes.ts';
import { addressOf } from '../../mcp/gateway/arrive/address.ts';
import { normalAddress } from '../../network/normal-address.ts';
import type { OAuthPlace } from '../../network/oauth-place.ts';

const FORM = 'application/x-www-form-urlencoded';

/** The prefix of the names of all cookies of the library. */
export const OAUTH_COOKIE_PREFIX = 'signalbox_oauth_';

export function libraryRequest({ place, request, contentType, body }: ProtocolRequest): IncomingMessage {
  const issuer = new URL(place.issuer);
  const given = new IncomingMessage(request.socket);
  given.method = request.method;
  given.url = addressFor(request.url ?? '/', place);
  // The library compares the two to find the path that a proxy adds.
  Object.assign(given, { originalUrl: (issuer.pathname === '/' ? '' : issuer.pathname) + given.url });
  const { accept, cookie = '' } = request.headers;
  if (accept !== undefined) given.headers.accept = accept;
  given.headers.cookie = cookie
    .split(/;\s*/)
    .filter((one) => one.startsWith(OAUTH_COOKIE_PREFIX))
    .join('; ');
  given.headers.host = issuer.host;
  given.headers['x-forwarded-proto'] = issuer.protocol.slice(0, -1);
  const sent = body && contentType?.startsWith(FORM) ? formFor(body, place) : body;
  if (sent !== undefined) {
    given.headers['content-length'] = String(sent.length);
    if (contentType !== undefined) given.headers['content-type'] = contentType;
    given.push(sent);
  }
  given.push(null);
  given.complete = true;
  return given;
}

/**
 * Replaces the scopes of an authorization by known ones: a client that names none, or only others, requests all of
 * them. The answer to the token request lists the granted ones. Source: RFC 6749, section 3.3.
 */
function addressFor(address: string, place: OAuthPlace): string {
  const { pathname, searchParams } = new URL(address, 'http://localhost');
  if (pathname !== '/oauth/authorize') return address;
  nameResource(searchParams, place);
  searchParams.set('scope', mcpScopesOf(searchParams.get('scope') ?? undefined).join(' '));
  return `${pathname}?${searchParams}`;
}

function formFor(body: Buffer, place: OAuthPlace): Buffer {
  const text = body.toString('utf8');
  const fields = new URLSearchParams(text);
  return nameResource(fields, place) ? Buffer.from(fields.toString()) : body;
}

/**
 * Writes the address of a server in the form of this server, so that it is the same in every request. True when it
 * changed.
 */
function nameResource(parameters: URLSearchParams, { servers }: OAuthPlace): boolean {
  const [given, ...others] = parameters.getAll('resource');
  const named = given === undefined || others.length > 0 ? undefined : normalAddress(given);
  const own = normalAddress(servers);
  if (!named || !own || named.search !== '' || named.hash !== '' || named.username !== '' || named.password !== '')
    return false;
  const path = named.pathname.slice(own.pathname.replace(/\/$/, '').length);
  if (named.origin !== own.origin || !named.pathname.startsWith(own.pathname) || !addressOf(path)) return false;
  const canonical = servers + path;
  if (canonical === given) return false;
  parameters.set('resource', canonical);
  return true;
}
