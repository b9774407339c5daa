/** Network addresses as texts. */
import { isIP, SocketAddress } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';

/**
 * The canonical form of an address: an IPv4 address has its own form, even if a dual-stack socket delivers it as IPv6.
 */
export function plainAddress(address: string): string {
  if (!address.includes(':')) return address;
  const [bare = ''] = address.split('%');
  if (isIP(bare) !== 6) return address;
  const plain = new SocketAddress({ address: bare, family: 'ipv6' }).address;
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(plain)?.[1] ?? plain;
}

/** The network that counts as one client: a household has an IPv6 network of 64 bits and may use all its addresses. */
export function clientNetwork(address: string): string {
  return isIP(address) === 6 ? `${groupsOf(address).slice(0, 4).join(':')}::/64` : address;
}

/** The network that one customer of a provider may have: 48 bits of IPv6, 24 of IPv4. `address` is in canonical form. */
export function customerNetwork(address: string): string {
  if (isIP(address) === 6) return `${groupsOf(address).slice(0, 3).join(':')}::/48`;
  return isIP(address) === 4 ? `${address.split('.').slice(0, 3).join('.')}.0/24` : address;
}

/** The eight groups of an IPv6 address, without leading zeros; an IPv4 address at its end is left as one. */
function groupsOf(address: string): string[] {
  const [head = '', tail] = address.split('%', 1)[0]!.toLowerCase().split('::');
  const groups = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? 0 : tail.split(':').length + (tail.includes('.') ? 1 : 0);
  if (tail !== undefined) {
    const middle = Array<string>(Math.max(0, 8 - groups.length - after)).fill('0');
    groups.push(...middle, ...(tail === '' ? [] : tail.split(':')));
  }
  return groups.map((group) => (group.includes('.') ? group : Number.parseInt(group, 16).toString(16)));
}

/** The machine's first external address, preferably IPv4; its host name if it has no address. */
export function addressOfMachine(): string {
  const addresses = Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    // Link-local addresses need the name of an interface.
    .filter(({ internal, address }) => !internal && !/^(169\.254\.|fe80:)/i.test(address));
  return (addresses.find(({ family }) => family === 'IPv4') ?? addresses[0])?.address ?? hostname();
}
