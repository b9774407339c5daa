/**
 * Classifies IP addresses, so that users' webhooks cannot be aimed at the inside of a network.
 * Source: IANA special-purpose address registries (RFC 6890 and its updates) and the clouds' documentation.
 */
import { isIPv4, isIPv6, SocketAddress } from 'node:net';

/**
 * `public`: anyone on the internet may be there. `private`: this machine or its network. `forbidden`: HTTP has no good
 * use there: metadata services of clouds, and link-local, multicast, reserved and documentation addresses.
 */
type AddressClass = 'public' | 'private' | 'forbidden';

type Range = readonly [prefix: string, bits: number, kind: AddressClass];

/** The first range that contains an address decides. Single addresses are metadata services of clouds. */
const ranges4: readonly Range[] = [
  ['100.100.100.200', 32, 'forbidden'],
  ['168.63.129.16', 32, 'forbidden'],
  ['0.0.0.0', 8, 'private'],
  ['10.0.0.0', 8, 'private'],
  ['100.64.0.0', 10, 'private'],
  ['127.0.0.0', 8, 'private'],
  ['169.254.0.0', 16, 'forbidden'],
  ['172.16.0.0', 12, 'private'],
  ['192.0.0.0', 24, 'forbidden'],
  ['192.0.2.0', 24, 'forbidden'],
  ['192.31.196.0', 24, 'forbidden'],
  ['192.52.193.0', 24, 'forbidden'],
  ['192.88.99.0', 24, 'forbidden'],
  ['192.168.0.0', 16, 'private'],
  ['192.175.48.0', 24, 'forbidden'],
  ['198.18.0.0', 15, 'private'],
  ['198.51.100.0', 24, 'forbidden'],
  ['203.0.113.0', 24, 'forbidden'],
  ['224.0.0.0', 3, 'forbidden'],
];

const ranges6: readonly Range[] = [
  ['::', 127, 'private'],
  ['fd00:ec2::', 32, 'forbidden'],
  ['fd20:ce::', 32, 'forbidden'],
  ['fc00::', 7, 'private'],
  ['fec0::', 10, 'private'],
  ['2001::', 23, 'forbidden'],
  ['2001:db8::', 32, 'forbidden'],
  ['2620:4f:8000::', 48, 'forbidden'],
  ['3fff::', 20, 'forbidden'],
  ['2000::', 3, 'public'],
];

/**
 * IPv6 prefixes that carry an IPv4 address, to which a packet finally goes. `start` is its first bit, counted from the
 * left.
 */
const carriers: readonly (readonly [prefix: string, bits: number, start: number])[] = [
  ['::ffff:0:0', 96, 96],
  ['::ffff:0:0:0', 96, 96],
  ['::', 96, 96],
  ['64:ff9b::', 96, 96],
  ['2002::', 16, 16],
];

/** Interface identifiers of ISATAP end with an IPv4 address, under any prefix. */
const ISATAP = new Set([0x5efen, 0x2005efen]);

const compiled4 = ranges4.map(([prefix, bits, kind]) => ({ prefix: bitsOf4(prefix) >> shift(32, bits), bits, kind }));
const compiled6 = ranges6.map(([prefix, bits, kind]) => ({ prefix: bitsOf6(prefix) >> shift(128, bits), bits, kind }));
const compiledCarriers = carriers.map(([prefix, bits, start]) => ({
  prefix: bitsOf6(prefix) >> shift(128, bits),
  bits,
  start,
}));

/**
 * The final destination of a packet to the address, in canonical form: the IPv4 address that an IPv6 address carries
 * (`::ffff:a00:5` is `10.0.0.5`), else the address itself, without a zone. Other text is returned unchanged.
 */
export function endOfAddress(address: string): string {
  const [bare = ''] = address.split('%');
  if (!isIPv6(bare)) return bare;
  const bits = bitsOf6(bare);
  const carrier = carrierOf(bits);
  if (!carrier) return new SocketAddress({ address: bare, family: 'ipv6' }).address;
  const carried = carriedBy(bits, carrier.start);
  return [24n, 16n, 8n, 0n].map((shifted) => (carried >> shifted) & 0xffn).join('.');
}

function carrierOf(bits: bigint) {
  // `::` and `::1` are this machine.
  if (bits <= 1n) return undefined;
  return compiledCarriers.find((range) => bits >> shift(128, range.bits) === range.prefix);
}

function carriedBy(bits: bigint, start: number): bigint {
  return (bits >> shift(128, start + 32)) & 0xffff_ffffn;
}

/** The class of an address as `dns.lookup` gives it. Any other text is forbidden. A zone (`%eth0`) is ignored. */
export function classOfAddress(address: string): AddressClass {
  const [bare = ''] = address.split('%');
  if (isIPv4(bare)) return classOf4(bitsOf4(bare));
  return isIPv6(bare) ? classOf6(bitsOf6(bare)) : 'forbidden';
}

function classOf4(bits: bigint): AddressClass {
  return compiled4.find((range) => bits >> shift(32, range.bits) === range.prefix)?.kind ?? 'public';
}

function classOf6(bits: bigint): AddressClass {
  const carrier = carrierOf(bits);
  if (carrier) return classOf4(carriedBy(bits, carrier.start));
  if (ISATAP.has((bits >> 32n) & 0xffff_ffffn) && classOf4(bits & 0xffff_ffffn) !== 'public') return 'forbidden';
  return compiled6.find((range) => bits >> shift(128, range.bits) === range.prefix)?.kind ?? 'forbidden';
}

function shift(width: number, bits: number): bigint {
  return BigInt(width - bits);
}

function bitsOf4(address: string): bigint {
  return address.split('.').reduce((bits, part) => (bits << 8n) | BigInt(part), 0n);
}

function bitsOf6(address: string): bigint {
  const [head = '', tail] = address.split('::');
  const [front, back] = [groupsOf(head), groupsOf(tail ?? '')];
  const missing = tail === undefined ? 0 : 8 - front.length - back.length;
  const groups = [...front, ...new Array<bigint>(missing).fill(0n), ...back];
  return groups.reduce((bits, group) => (bits << 16n) | group, 0n);
}

/** The 16-bit groups of a part of an address; an IPv4 address at its end is two. */
function groupsOf(part: string): bigint[] {
  if (part === '') return [];
  return part.split(':').flatMap((group) => {
    if (!group.includes('.')) return [BigInt(`0x${group}`)];
    const bits = bitsOf4(group);
    return [bits >> 16n, bits & 0xffffn];
  });
}
