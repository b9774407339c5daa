/** Limits open connections, in total and for one client, so that no client takes them all. */
import type { Socket } from 'node:net';
import { clientNetwork, plainAddress } from '../network/addresses.ts';
import type { TrustedProxies } from '../network/trusted-proxies.ts';
import { limitRefusals } from '../watching/telemetry.ts';
import type { Capacity } from './capacity.ts';
import { Gate, type Release } from './gate.ts';

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

  /** Counts the connection until it closes. Closes it at once when the bound is reached. */
  admit(socket: Socket): void {
    const leave = this.enter(socket);
    if (leave) socket.once('close', leave);
    else socket.destroy();
  }

  /** Counts the connection until the result is called. Undefined when the bound is reached. */
  enter({ remoteAddress = '' }: Pick<Socket, 'remoteAddress'>): Release | undefined {
    const address = plainAddress(remoteAddress);
    const leave = this.#open.take(this.#trustedProxies.includes(address) ? [] : [clientNetwork(address)]);
    if (!leave) limitRefusals.note({ limit: 'connections' });
    return leave;
  }
}
