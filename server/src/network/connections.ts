/** How many connections may be open, in all and for one client, so that nobody takes them all. */
import type { Socket } from 'node:net';
import type { Config } from '../config.ts';
import { clientNetwork, plainAddress } from './client-route.ts';

/** Counts what clients hold, by their network. */
export class ClientCounts {
  readonly #counts = new Map<string, number>();
  readonly #max: number;
  readonly #maxOfClient: number;
  #total = 0;

  constructor(max: number, maxOfClient: number) {
    this.#max = max;
    this.#maxOfClient = maxOfClient;
  }

  /** Takes one more for `client`, or says no. Undefined stands for many clients, of whom only the sum counts. */
  take(client: string | undefined): boolean {
    const held = client === undefined ? 0 : (this.#counts.get(client) ?? 0);
    if (this.#total >= this.#max || held >= this.#maxOfClient) return false;
    this.#total += 1;
    if (client !== undefined) this.#counts.set(client, held + 1);
    return true;
  }

  giveBack(client: string | undefined): void {
    this.#total -= 1;
    if (client === undefined) return;
    const left = (this.#counts.get(client) ?? 1) - 1;
    if (left > 0) this.#counts.set(client, left);
    else this.#counts.delete(client);
  }
}

/** Closes connections past the limits as they come. Those of trusted proxies count for nobody but in the sum. */
export class ConnectionLimits {
  readonly #config: Config;
  readonly #counts: ClientCounts;

  constructor(config: Config) {
    this.#config = config;
    this.#counts = new ClientCounts(config.maxConnections, config.maxConnectionsOfClient);
  }

  admit(socket: Socket): void {
    const address = plainAddress(socket.remoteAddress ?? '');
    const client = this.#config.trustedProxies.includes(address) ? undefined : clientNetwork(address);
    if (!this.#counts.take(client)) {
      socket.destroy();
      return;
    }
    socket.once('close', () => this.#counts.giveBack(client));
  }
}
