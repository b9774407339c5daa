/**
 * Where this process and the programs that it runs listen, and where it keeps its data. Users' targets never lead
 * there: some services trust requests from this machine, and such a request would come from the server itself.
 */
import { BlockList, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { endOfAddress } from './address-class.ts';

/** Ports of this machine, with how often each was claimed. */
const ports = new Map<number, number>();
/** `address port` of services on other machines, the address in its plain form. */
const endpoints = new Set<string>();

/** Returns a function that releases the port. */
export function claimPort(port: number): () => void {
  ports.set(port, (ports.get(port) ?? 0) + 1);
  let isHeld = true;
  return () => {
    const claims = isHeld ? (ports.get(port) ?? 1) - 1 : undefined;
    isHeld = false;
    if (claims === 0) ports.delete(port);
    else if (claims !== undefined) ports.set(port, claims);
  };
}

/** Claims the endpoint of a database or a similar service, on any machine. */
export function claimEndpoint(address: string, port: number): void {
  if (isThisMachine(address)) claimPort(port);
  else endpoints.add(`${endOfAddress(address)} ${port}`);
}

export function isOwnEndpoint(address: string, port: number): boolean {
  return endpoints.has(`${endOfAddress(address)} ${port}`) || (ports.has(port) && isThisMachine(address));
}

/** True for the loopback address and those of each interface. */
export function isThisMachine(address: string): boolean {
  const end = endOfAddress(address);
  const here = new BlockList();
  here.addSubnet('127.0.0.0', 8, 'ipv4');
  here.addSubnet('0.0.0.0', 8, 'ipv4');
  here.addSubnet('::', 127, 'ipv6');
  for (const { address: own, family } of Object.values(networkInterfaces()).flatMap((found) => found ?? [])) {
    here.addAddress(own, family === 'IPv6' ? 'ipv6' : 'ipv4');
  }
  return here.check(end, isIPv6(end) ? 'ipv6' : 'ipv4');
}
