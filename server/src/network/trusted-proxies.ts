/** The reverse proxies whose headers about the client are believed: `SIGNALBOX_TRUSTED_PROXIES`. */
import { type BlockList, isIP } from 'node:net';
import { blockListOf } from './networks.ts';

export class TrustedProxies {
  readonly #networks: BlockList;
  /** False if no proxy is trusted; then a request costs nothing. */
  readonly any: boolean;

  /** Addresses and networks like `10.0.0.0/8` or `fd00::/8`. Throws when one is neither. */
  constructor(networks: readonly string[]) {
    this.any = networks.length > 0;
    this.#networks = blockListOf(networks);
  }

  includes(address: string): boolean {
    if (!this.any) return false;
    const family = isIP(address);
    return family !== 0 && this.#networks.check(address, family === 4 ? 'ipv4' : 'ipv6');
  }
}
