/** Limits open connections, in all and for one client, so that no client takes them all. */
import type { Socket } from 'node:net';
import type { Config } from '../config.ts';
import { clientNetwork, plainAddress } from './client-route.ts';
import { Shares } from './shares.ts';

/** Closes connections past the limits on arrival. Those of trusted proxies count in the total only. */
export class ConnectionLimits {
  readonly #config: Config;
  readonly #open: Shares;

  constructor(config: Config) {
    this.#config = config;
    this.#open = new Shares(config.maxConnections, config.maxConnectionsOfClient);
  }

  admit(socket: Socket): void {
    const address = plainAddress(socket.remoteAddress ?? '');
    const client = this.#config.trustedProxies.includes(address) ? undefined : clientNetwork(address);
    if (!this.#open.take(client)) {
      socket.destroy();
      return;
    }
    socket.once('close', () => this.#open.giveBack(client));
  }
}
