/**
 * Decides which pages and host names may reach a serving URL. A page of another origin is refused. If the server
 * listens only on this machine, a foreign host name that points here is refused too. Source:
 * modelcontextprotocol.io/specification/2025-11-25/basic/transports, "Security Warning".
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Config } from '../../../config.ts';
import { clientRouteOf } from '../../../network/client-route.ts';
import { isLoopback } from '../../../network/networks.ts';
import { BoundedMap } from '../../../values/bounded-map.ts';

const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i;

/** Cached because clients use a name or two, and parsing one costs more than the rest of the check. */
const MAX_KNOWN_NAMES = 100;

export class HostCheck {
  readonly #config: Config;
  readonly #knownLocal = new BoundedMap<string, true>({ name: 'host names', most: MAX_KNOWN_NAMES });

  constructor(config: Config) {
    this.#config = config;
  }

  isForeign(request: IncomingMessage): boolean {
    const { host: sentTo, origin } = request.headers;
    if (sentTo === undefined || namesTwoHosts(request.rawHeaders)) return true;
    if (!this.#knownLocal.get(sentTo) && !HOST.test(sentTo)) return true;
    const { trustedProxies } = this.#config;
    const host = trustedProxies.any ? (clientRouteOf(trustedProxies, request).host ?? sentTo) : sentTo;
    if (isLoopback(this.#config.host) && !(this.#isLocal(sentTo) && this.#isLocal(host))) return true;
    return origin !== undefined && !isOwnOrigin(this.#config, host, origin);
  }

  #isLocal(host: string): boolean {
    if (this.#knownLocal.get(host)) return true;
    if (!isLocalName(this.#config, host)) return false;
    this.#knownLocal.set(host, true);
    return true;
  }
}

/**
 * One parser may use the first Host header, another the last, so only one is allowed. Source: RFC 9112, section 3.2.
 */
function namesTwoHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1;
}

function isLocalName(config: Config, host: string): boolean {
  const name = hostNameOf(`http://${host}`);
  if (name === undefined) return false;
  if (config.publicUrl && name === hostNameOf(config.publicUrl)) return true;
  if (config.serversUrl && name === hostNameOf(config.serversUrl)) return true;
  if (config.allowedHosts.includes(name)) return true;
  return isLoopback(name.replace(/^\[|\]$/g, ''));
}

function isOwnOrigin(config: Config, host: string, origin: string): boolean {
  if (config.mcpAllowedOrigins.includes(origin)) return true;
  if (config.publicUrl) return origin === config.publicUrl;
  const url = URL.parse(origin);
  return url !== null && url.host === URL.parse(`${url.protocol}//${host}`)?.host;
}

function hostNameOf(url: string): string | undefined {
  return URL.parse(url)?.hostname;
}

const EXPOSED = 'mcp-session-id, mcp-protocol-version, www-authenticate, x-request-id';
const PREFLIGHT_SECONDS = '600';

/** Lets a page read the answer whose origin was accepted as one of ours. */
export function allowOrigin({ headers: { origin } }: IncomingMessage, response: ServerResponse): void {
  if (origin === undefined) return;
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('access-control-expose-headers', EXPOSED);
  response.setHeader('vary', 'Origin');
}

/** Answers a CORS preflight request; false when the request is not one. */
export function answerPreflight({ method, headers }: IncomingMessage, response: ServerResponse): boolean {
  if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return false;
  response.writeHead(204, {
    'access-control-allow-methods': 'GET, POST, DELETE',
    'access-control-allow-headers': headers['access-control-request-headers'] ?? '',
    'access-control-max-age': PREFLIGHT_SECONDS,
  });
  response.end();
  return true;
}
