/** Limits open connections, in total and for one client, so that no client takes them all. */
import type { Socket } from 'node:net';
import { clientNetwork, plainAddress } from '../network/addresses.ts';
import type { TrustedProxies } from '../network/trusted-proxies.ts';
import { limitRefusals } from '../watching/telemetry.ts';
import type { Capacity } from './capacity.ts';
import { Gate } from './gate.ts';

interface ConnectionLimitsOptions {
  readonly maxConnectionsOfClient: number;
  readonly trustedProxies: TrustedProxies;
}

/** Closes connections beyond the limits on arrival. Connections of trusted proxies count only in the total. */
export class ConnectionLimits {
  readonly #trustedProxies: TrustedProxies;
  readonly #open: Gate;

  constructor(options: ConnectionLimitsOptions, { connections }: Pick<Capacity, 'connections'>) {
    this.#trustedProxies = options.trustedProxies;
    this.#open = new Gate({
      name: 'connections',
      places: connections,
      levels: [{ most: options.maxConnectionsOfClient }],
    });
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
