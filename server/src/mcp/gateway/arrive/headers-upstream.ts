/**
 * Selects the headers of a request that are forwarded to the server. Source:
 * modelcontextprotocol.io/specification/2025-11-25/basic/transports and /2026-07-28/basic/transports/streamable-http;
 * gateway-access.test.ts and gateway-attacks.test.ts.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Actor, OrganizationRole, Role } from '../../../identity/access/access.ts';
import type { ClientRoute } from '../../../network/client-route.ts';
import { FORWARDED_HEADERS } from '../../../network/client-route.ts';
import { HOP_BY_HOP } from '../../../network/hop-by-hop.ts';
import { withoutPlatformCookies } from '../../../network/platform-cookies.ts';

const FORWARDED: ReadonlySet<string> = new Set([
  'accept',
  'content-type',
  'mcp-protocol-version',
  'last-event-id',
  'mcp-method',
  'mcp-name',
  'traceparent',
  'tracestate',
  'baggage',
  'user-agent',
]);

/** Headers of one connection, or of one message on it. */
const NOT_FORWARDED: ReadonlySet<string> = new Set([...HOP_BY_HOP, 'host', 'content-length', 'expect']);

const FORWARDED_BY_PROXIES: ReadonlySet<string> = new Set(FORWARDED_HEADERS);

/**
 * True for headers that only this proxy sets: a client's values for them are never forwarded, nor with `_` in the name,
 * which programs behind CGI and WSGI cannot distinguish from `-`.
 */
function isOursToSay(name: string): boolean {
  const read = name.replaceAll('_', '-');
  return FORWARDED_BY_PROXIES.has(read) || read.startsWith('signalbox-');
}

/** Removes the caller's credential, cookies and identity headers. */
export function headersUpstream(headers: IncomingHttpHeaders): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name in headers) {
    if (!FORWARDED.has(name) && !name.startsWith('mcp-param-')) continue;
    const value = headers[name];
    if (typeof value === 'string') kept[name] = value;
  }
  return kept;
}

interface ActorHeaders {
  readonly actor: Actor;
  readonly organizationRole: OrganizationRole | null;
  readonly role: Role;
}

/** Adds the caller's identity, for servers that run here. A client's values for these headers are never forwarded. */
export function addActorHeaders(
  headers: Record<string, string>,
  { actor, organizationRole, role }: ActorHeaders,
): void {
  headers['signalbox-actor'] = actor.id;
  headers['signalbox-actor-type'] = actor.type;
  if (actor.type === 'user' && isHeaderValue(actor.name)) headers['signalbox-actor-email'] = actor.name;
  if (organizationRole !== null) headers['signalbox-organization-role'] = organizationRole;
  headers['signalbox-server-role'] = role;
}

function isHeaderValue(text: string): boolean {
  return /^[\x20-\x7e]+$/.test(text);
}

/**
 * The headers for servers that authenticate callers themselves: all except hop-by-hop ones, ours, and the platform's
 * cookies.
 */
export function untouchedHeaders({ cookie, ...headers }: IncomingHttpHeaders): Record<string, string> {
  const kept = endToEnd(headers);
  const cookies = cookie === undefined ? undefined : withoutPlatformCookies(cookie);
  if (cookies !== undefined) kept['cookie'] = cookies;
  return kept;
}

/** The headers that are not only for one connection. */
export function endToEnd(headers: IncomingHttpHeaders): Record<string, string> {
  const dropped = new Set(
    String(headers['connection'] ?? '')
      .toLowerCase()
      .split(/\s*,\s*/),
  );
  const kept: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || NOT_FORWARDED.has(name) || isOursToSay(name) || dropped.has(name)) continue;
    kept[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return kept;
}

/**
 * Gives a server that authenticates callers itself the client's address and route, as far as this server knows them.
 */
export function forwardedHeaders({ address, scheme, host }: ClientRoute): Record<string, string> {
  return {
    ...(address === '' ? {} : { 'x-forwarded-for': address }),
    'x-forwarded-proto': scheme,
    ...(host === undefined ? {} : { 'x-forwarded-host': host }),
  };
}
