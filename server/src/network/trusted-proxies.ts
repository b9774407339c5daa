/** The reverse proxies whose word on the client counts: `SIGNALBOX_TRUSTED_PROXIES`. */
import { BlockList, isIP } from 'node:net';

export class TrustedProxies {
  readonly #networks = new BlockList();
  /** False where no proxy is trusted, so that a request costs nothing. */
  readonly any: boolean;

  /** Addresses and networks like `10.0.0.0/8` or `fd00::/8`. Throws when one is neither. */
  constructor(networks: readonly string[]) {
    this.any = networks.length > 0;
    for (const network of networks) {
      const { address, family, prefix } = parseNetwork(network) ?? unreadable(network);
      this.#networks.addSubnet(address, prefix, family);
    }
  }

  includes(address: string): boolean {
    if (!this.any) return false;
    const family = isIP(address);
    return family !== 0 && this.#networks.check(address, family === 4 ? 'ipv4' : 'ipv6');
  }
}

/** What is wrong with a list of networks, for whoever set it. */
export function problemOfNetworks(networks: readonly string[]): string | undefined {
  const wrong = networks.find((network) => parseNetwork(network) === undefined);
  return wrong === undefined ? undefined : `must hold networks like 10.0.0.0/8 or fd00::/8, and "${wrong}" is none`;
}

interface Network {
  readonly address: string;
  readonly family: 'ipv4' | 'ipv6';
  readonly prefix: number;
}

function parseNetwork(text: string): Network | undefined {
  const [address = '', length, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0 || address.includes('%')) return undefined;
  const longest = family === 4 ? 32 : 128;
  if (length !== undefined && (!/^\d{1,3}$/.test(length) || Number(length) > longest)) return undefined;
  return { address, family: family === 4 ? 'ipv4' : 'ipv6', prefix: length === undefined ? longest : Number(length) };
}

function unreadable(network: string): never {
  throw new Error(`${network} is no network.`);
}
