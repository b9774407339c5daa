/**
 * The separate origin of MCP servers: `SIGNALBOX_SERVERS_URL`. Requests to its host name reach MCP servers and nothing
 * else; requests to any other host name reach everything but MCP servers. Ports do not count, because cookies ignore
 * them.
 */
import type { IncomingMessage } from 'node:http';
import { clientRouteOf } from './client-route.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

interface ServersOriginOptions {
  /** Empty where MCP servers have the platform's origin. */
  readonly serversUrl: string;
  readonly trustedProxies: TrustedProxies;
}

export class ServersOrigin {
  readonly #trustedProxies: TrustedProxies;
  readonly #name: string | undefined;

  constructor({ serversUrl, trustedProxies }: ServersOriginOptions) {
    this.#trustedProxies = trustedProxies;
    this.#name = serversUrl === '' ? undefined : hostNameOf(serversUrl);
  }

  /** True when a request for the platform uses the servers' host name. */
  refusesPlatform(request: IncomingMessage): boolean {
    return this.#name !== undefined && this.#isServersHost(request);
  }

  /** True when a request for an MCP server uses another host name. */
  refusesServers(request: IncomingMessage): boolean {
    return this.#name !== undefined && !this.#isServersHost(request);
  }

  #isServersHost(request: IncomingMessage): boolean {
    const { host } = clientRouteOf(this.#trustedProxies, request);
    return host !== undefined && hostNameOf(`http://${host}`) === this.#name;
  }
}

/** The host name without the dot that may end a fully qualified name. */
export function hostNameOf(url: string): string | undefined {
  return URL.parse(url)?.hostname.replace(/\.$/, '');
}
