/**
 * The origin that MCP servers have of their own: `SIGNALBOX_SERVERS_URL`. Whoever is asked by its host name serves MCP
 * servers and nothing else; by any other host name, everything but MCP servers. Ports do not count, because cookies do not
 * heed them.
 */
import type { IncomingMessage } from 'node:http';
import type { Config } from '../config.ts';
import { clientRouteOf } from './client-route.ts';

type OriginConfig = Pick<Config, 'serversUrl' | 'trustedProxies'>;

export class ServersOrigin {
  readonly #config: OriginConfig;
  readonly #name: string | undefined;

  constructor(config: OriginConfig) {
    this.#config = config;
    this.#name = config.serversUrl === '' ? undefined : hostNameOf(config.serversUrl);
  }

  /** True when the platform is asked for by the servers' host name. */
  refusesPlatform(request: IncomingMessage): boolean {
    return this.#name !== undefined && this.#isServersHost(request);
  }

  /** True when an MCP server is asked for by another host name. */
  refusesServers(request: IncomingMessage): boolean {
    return this.#name !== undefined && !this.#isServersHost(request);
  }

  #isServersHost(request: IncomingMessage): boolean {
    const { host } = clientRouteOf(this.#config.trustedProxies, request);
    return host !== undefined && hostNameOf(`http://${host}`) === this.#name;
  }
}

/** Without the dot that may end a full name. */
export function hostNameOf(url: string): string | undefined {
  return URL.parse(url)?.hostname.replace(/\.$/, '');
}
