/** The ports of a process as others must refuse them: on its machine, and at the addresses of its machine. */
import { hostname, networkInterfaces } from 'node:os';
import { endOfAddress } from '../outbound/address-class.ts';
import { type Claims, ownClaims } from '../outbound/own-endpoints.ts';

/** The claims of a process, as it writes them for the others. */
export interface MachineClaims extends Claims {
  readonly machine: string;
  /** Addresses that other machines reach. */
  readonly addresses: readonly string[];
}

export function claimsHere(): MachineClaims {
  const interfaces = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
  const addresses = interfaces.filter(({ internal }) => !internal).map(({ address }) => endOfAddress(address));
  return { ...ownClaims(), machine: hostname(), addresses };
}

/** Machines of one name count as one, so that at worst a port too many is refused. */
export function seenFromHere({ machine, addresses, ports, endpoints }: MachineClaims): Claims {
  const reached = addresses.flatMap((address) => ports.map((port) => `${address} ${port}`));
  return { ports: machine === hostname() ? ports : [], endpoints: [...endpoints, ...reached] };
}
