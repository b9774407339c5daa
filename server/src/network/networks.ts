/** Networks as operators list them: addresses or CIDR blocks. No other file reads them. */
import { BlockList, isIP, isIPv4 } from 'node:net';
import { plainAddress } from './addresses.ts';

/** The prefix `::ffff:` of IPv4 addresses within IPv6. */
const MAPPED_BITS = 96;

interface Network {
  readonly address: string;
  readonly family: 'ipv4' | 'ipv6';
  readonly prefix: number;
}

/** The networks of a comma-separated list; undefined when the list is malformed. An empty list holds no address. */
export function networksOf(text: string): BlockList | undefined {
  return problemOfNetworks(text) === undefined ? blockListOf(partsOf(text)) : undefined;
}

/** The fault of a comma-separated list, for the operator who set it; undefined when there is none. */
export function problemOfNetworks(text: string): string | undefined {
  const wrong = partsOf(text).find((network) => parseNetwork(network) === undefined);
  return wrong === undefined
    ? undefined
    : `must contain networks like 10.0.0.0/8 or fd00::/8, but "${wrong}" is not one`;
}

/** Throws when an entry is not a network. */
export function blockListOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const { address, family, prefix } = parseNetwork(network) ?? unreadable(network);
    list.addSubnet(address, prefix, family);
  }
  return list;
}

/** True for a name or address that only this machine reaches. */
export function isLoopback(host: string): boolean {
  const address = plainAddress(host);
  return host === 'localhost' || address === '::1' || (isIPv4(address) && address.startsWith('127.'));
}

function partsOf(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function parseNetwork(text: string): Network | undefined {
  const [address = '', length, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0 || address.includes('%')) return undefined;
  const longest = family === 4 ? 32 : 128;
  if (length !== undefined && (!/^\d{1,3}$/.test(length) || Number(length) > longest)) return undefined;
  const plain = plainAddress(address);
  const bits = length === undefined ? longest : Number(length);
  // The addresses of clients are IPv4 in its own form.
  if (family === 6 && isIPv4(plain) && bits >= MAPPED_BITS) {
    return { address: plain, family: 'ipv4', prefix: bits - MAPPED_BITS };
  }
  return { address, family: family === 4 ? 'ipv4' : 'ipv6', prefix: bits };
}

function unreadable(network: string): never {
  throw new Error(`${network} is not a network.`);
}
