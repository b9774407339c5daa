/** Finds the authorization server of a server. Source: RFC 9728, sections 3 and 5. */
import { normalAddress } from '../../network/normal-address.ts';
import { LEGACY_VERSION } from '../protocol/era.ts';
import { isObject, type JsonObject } from '../protocol/message.ts';
import { UpstreamError } from '../upstream/upstream.ts';
import type { guardedFetch } from './guarded-fetch.ts';

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

interface ProtectedResource {
  readonly issuer: string;
  /** The resource for which tokens are issued. */
  readonly resource: string;
  /** The scopes that it requires, separated by spaces. */
  readonly scope: string | null;
}

/** Rejects with UpstreamError if the server names no authorization server. */
export async function findResource(
  address: string,
  fetch: ReturnType<typeof guardedFetch>,
): Promise<ProtectedResource> {
  const url = new URL(address);
  const challenge = await challengeOf(url, fetch);
  const said = parameterOf(challenge, 'resource_metadata');
  const path = url.pathname.replace(/\/$/, '');
  const places = said === undefined ? [WELL_KNOWN + path, WELL_KNOWN] : [said];
  for (const place of places) {
    const document = await documentAt(new URL(place, url), fetch);
    const { resource, authorization_servers: servers, scopes_supported: scopes } = document ?? {};
    const issuer = Array.isArray(servers) ? servers[0] : undefined;
    if (typeof resource !== 'string' || typeof issuer !== 'string' || !URL.canParse(issuer)) continue;
    if (!isPartOf(url, resource)) continue;
    const asked = parameterOf(challenge, 'scope');
    const offered = Array.isArray(scopes) && scopes.length > 0 ? scopes.join(' ') : null;
    return { issuer, resource, scope: asked ?? offered };
  }
  const text = 'The server does not say where people sign in. An administrator must enter its authorization server.';
  throw new UpstreamError('credential', text);
}

/** The header with which the server requests a credential; empty when it does not. */
async function challengeOf(url: URL, fetch: ReturnType<typeof guardedFetch>): Promise<string> {
  const params = {
    protocolVersion: LEGACY_VERSION,
    capabilities: {},
    clientInfo: { name: 'signalbox', version: '' },
  };
  const answer = await fetch(url.href, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
  }).catch((error: Error) => {
    throw new UpstreamError('connection', `The server cannot be reached. ${error.message}`);
  });
  return answer.status === 401 ? (answer.headers.get('www-authenticate') ?? '') : '';
}

function parameterOf(challenge: string, name: string): string | undefined {
  return new RegExp(`\\b${name}="([^"]{1,2000})"`, 'i').exec(challenge)?.[1];
}

async function documentAt(url: URL, fetch: ReturnType<typeof guardedFetch>): Promise<JsonObject | undefined> {
  try {
    const answer = await fetch(url.href, { headers: { accept: 'application/json' } });
    const document: unknown = answer.status === 200 ? await answer.json() : undefined;
    return isObject(document) ? document : undefined;
  } catch {
    return undefined;
  }
}

/** A document may only describe the server's own address, or a path above it. */
function isPartOf(url: URL, resource: string): boolean {
  const [named, own] = [normalAddress(resource), normalAddress(url.href)];
  if (!named || named.origin !== own?.origin) return false;
  const above = named.pathname.replace(/\/?$/, '/');
  return own.pathname.replace(/\/?$/, '/').startsWith(above);
}
