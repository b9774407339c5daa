/**
 * Records the ports on which this process and its programs listen, and the endpoints of its data. Users' targets never
 * lead there: some services trust requests from this machine, and such a request would come from the server itself.
 */
import { BlockList, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { endOfAddress } from './address-class.ts';

/** Number of claims on each port of this machine. */
const ports = new Map<number, number>();
/** `address port` of services on other machines, with the address in canonical form. */
const endpoints = new Set<string>();

/** Claims of other processes of this installation, by the source that reported them. */
const foreign = new Map<object, { readonly ports: ReadonlySet<number>; readonly endpoints: ReadonlySet<string> }>();
const watchers = new Set<() => void>();

/** The claims of one process, in the form in which it reports them to another. */
export interface Claims {
  readonly ports: readonly number[];
  readonly endpoints: readonly string[];
}

export const NO_CLAIMS: Claims = { ports: [], endpoints: [] };

export function ownClaims(): Claims {
  return { ports: [...ports.keys()], endpoints: [...endpoints] };
}

/** Replaces the claims of `source`. */
export function foreignClaims(source: object, claims: Claims): void {
  foreign.set(source, { ports: new Set(claims.ports), endpoints: new Set(claims.endpoints) });
  if (claims.ports.length + claims.endpoints.length === 0) foreign.delete(source);
}

/** Calls `changed` after each change of this process's own claims. Returns a function that stops this. */
export function watchClaims(changed: () => void): () => void {
  watchers.add(changed);
  return () => {
    watchers.delete(changed);
  };
}

function tellWatchers(): void {
  for (const changed of watchers) changed();
}

/** Returns a function that releases the port. */
export function claimPort(port: number): () => void {
  ports.set(port, (ports.get(port) ?? 0) + 1);
  tellWatchers();
  let isHeld = true;
  return () => {
    const claims = isHeld ? (ports.get(port) ?? 1) - 1 : undefined;
    isHeld = false;
    if (claims === 0) ports.delete(port);
    else if (claims !== undefined) ports.set(port, claims);
    tellWatchers();
  };
}

/** Claims the endpoint of a database or a similar service, on any machine. */
export function claimEndpoint(address: string, port: number): void {
  if (isThisMachine(address)) claimPort(port);
  else {
    endpoints.add(`${endOfAddress(address)} ${port}`);
    tellWatchers();
  }
}

export function isOwnEndpoint(address: string, port: number): boolean {
  const endpoint = `${endOfAddress(address)} ${port}`;
  const all = [{ ports, endpoints }, ...foreign.values()];
  return (
    all.some((claimed) => claimed.endpoints.has(endpoint)) ||
    (all.some((claimed) => claimed.ports.has(port)) && isThisMachine(address))
  );
}

/** True for the loopback address and the addresses of each interface. */
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
