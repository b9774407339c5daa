/** Networks as operators list them: addresses or CIDR blocks, with commas. */
import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** Undefined for what is no such list. An empty list holds no address. */
export function networksOf(text: string): BlockList | undefined {
  const networks = new BlockList();
  for (const part of text.split(',').map((one) => one.trim())) {
    if (part === '') continue;
    const [address = '', bits, more] = part.split('/');
    const width = isIPv4(address) ? 32 : isIPv6(address) ? 128 : 0;
    const prefix = bits === undefined ? width : /^\d{1,3}$/.test(bits) ? Number(bits) : -1;
    if (width === 0 || more !== undefined || prefix < 0 || prefix > width) return undefined;
    networks.addSubnet(address, prefix, width === 32 ? 'ipv4' : 'ipv6');
  }
  return networks;
}
