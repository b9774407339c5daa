/** Limits open connections, in total and for one client, so that no client takes them all. */
import type { Socket } from 'node:net';
import { clientNetwork, plainAddress } from '../network/addresses.ts';
import type { TrustedProxies } from '../network/trusted-proxies.ts';
import { limitRefusals } from '../watching/telemetry.ts';
import { Gate } from './gate.ts';

interface ConnectionLimitsOptions {
  readonly maxConnections: number;
  readonly maxConnectionsOfClient: number;
  readonly trustedProxies: TrustedProxies;
}

/** Closes connections beyond the limits on arrival. Connections of trusted proxies count only in the total. */
export class ConnectionLimits {
  readonly #trustedProxies: TrustedProxies;
  readonly #open: Gate;

  constructor(options: ConnectionLimitsOptions) {
    this.#trustedProxies = options.trustedProxies;
    this.#open = new Gate({ places: options.maxConnections, levels: [{ most: options.maxConnectionsOfClient }] });
  }

  admit(socket: Socket): void {
    const address = plainAddress(socket.remoteAddress ?? '');
    const leave = this.#open.take(this.#trustedProxies.includes(address) ? [] : [clientNetwork(address)]);
    if (!leave) {
      limitRefusals.note({ limit: 'connections' });
      socket.destroy();
      return;
    }
    socket.once('close', leave);
  }
}
