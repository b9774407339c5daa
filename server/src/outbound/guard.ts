/**
 * The guard before every connection whose target users choose. It resolves a name once, checks each of its addresses
 * and connects to a checked address, so a later change of the name has no effect.
 */
import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import { type BlockList, isIP, isIPv6, type LookupFunction } from 'node:net';
import type { Agent } from 'undici';
import { classOfAddress, endOfAddress } from './address-class.ts';
import { OutboundError } from './outbound-error.ts';
import { isOwnEndpoint, isThisMachine } from './own-endpoints.ts';

export interface TargetPolicy {
  /** True if this machine and its private networks may be a target; metadata services never are. */
  readonly allowPrivate: boolean;
  /** Private addresses that may be a target anyway. */
  readonly networks?: BlockList;
  /** If true, an address of this machine is a target only if `networks` lists it. */
  readonly excludesThisMachine?: boolean;
  /** True for requests to programs that this server runs: its own ports may be a target. */
  readonly mayBeOwn?: boolean;
  /** False accepts any certificate. */
  readonly verifyCertificate?: boolean;
  /** Seconds for a connection with its handshakes. */
  readonly connectSeconds?: number;
  /** Bytes that are read from a connection before the reader asks for more; undici's default when absent. */
  readonly readAheadBytes?: number;
}

/** Resolves names to addresses. Tests replace the system's resolver. */
export type Resolver = (
  name: string,
  done: (error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]) => void,
) => void;

const DEFAULT_CONNECT_SECONDS = 10;
const UNLISTED = 'SIGNALBOX_ALLOWED_PRIVATE_NETWORKS does not list it.';

const resolveByTheSystem: Resolver = (name, done) => {
  systemLookup(name, { all: true, order: 'verbatim' }, (error, addresses) => done(error, addresses ?? []));
};

/** Throws OutboundError when the policy does not allow a connection to the address and port. */
export function checkAddress(address: string, port: number, policy: TargetPolicy): void {
  const { allowPrivate, networks, mayBeOwn, excludesThisMachine } = policy;
  if (!mayBeOwn && isOwnEndpoint(address, port)) {
    throw new OutboundError(
      'refused',
      'The target is an address that this server itself uses, so the request is refused.',
    );
  }
  const kind = classOfAddress(address);
  if (kind === 'private' && isListed(address, networks)) return;
  if (excludesThisMachine && isThisMachine(address)) {
    throw new OutboundError('refused', `The target resolves to ${address}, an address of this machine. ${UNLISTED}`);
  }
  if (kind === 'public' || (kind === 'private' && allowPrivate)) return;
  const cure = kind === 'private' ? ` ${UNLISTED}` : '';
  const message = `The target resolves to the ${kind} address ${address}, where nothing is sent.${cure}`;
  throw new OutboundError('refused', message);
}

function isListed(address: string, networks: BlockList | undefined): boolean {
  const end = endOfAddress(address);
  return networks?.check(end, isIPv6(end) ? 'ipv6' : 'ipv4') ?? false;
}

/** The port that a connection for the URL goes to. */
export function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}

/**
 * Throws OutboundError for a URL that is not http or https, that carries credentials, or whose host is an address that
 * the policy does not allow. The URL parser has already normalized odd spellings of addresses (`0x7f.1`, `2130706433`).
 * Names are checked when the connection is made.
 */
export function checkUrl(url: URL, policy: TargetPolicy): void {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new OutboundError('unusable', `The URL has the unsupported protocol '${url.protocol}//'.`);
  }
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (host === '') throw new OutboundError('unusable', 'The URL has no host.');
  if (isIP(host) !== 0) checkAddress(host, portOf(url), policy);
}

/** A `lookup` for `net.connect` that returns only checked addresses. If one address is refused, the name is refused. */
export function guardedLookup(
  port: number,
  policy: TargetPolicy,
  resolve: Resolver = resolveByTheSystem,
): LookupFunction {
  return (name, options, done) => {
    resolve(name, (error, addresses) => {
      if (error) return done(error, '');
      try {
        for (const { address } of addresses) checkAddress(address, port, policy);
      } catch (refusal) {
        return done(refusal as Error, '');
      }
      const [first] = addresses;
      if (!first) return done(new OutboundError('connection', 'The name of the target has no address.'), '');
      if (options.all) return done(null, [...addresses]);
      return done(null, first.address, first.family);
    });
  };
}

/**
 * The options by which undici connects to `url` under a policy. Each URL must have passed `checkUrl`: a host that is an
 * address is never looked up.
 */
export function guardedConnector(url: URL, policy: TargetPolicy, resolve?: Resolver): Agent.Options['connect'] {
  const { readAheadBytes } = policy;
  return {
    ...(readAheadBytes === undefined ? {} : { highWaterMark: readAheadBytes }),
    lookup: guardedLookup(portOf(url), policy, resolve),
    timeout: (policy.connectSeconds ?? DEFAULT_CONNECT_SECONDS) * 1000,
    rejectUnauthorized: policy.verifyCertificate ?? true,
  };
}

/**
 * An undici agent for requests to `url`. undici is loaded on first use: it takes 6 MB, and most servers never send
 * anything.
 */
export async function guardedAgent(url: URL, policy: TargetPolicy, resolve?: Resolver): Promise<Agent> {
  const { Agent } = await import('undici');
  return new Agent({ connect: guardedConnector(url, policy, resolve) });
}
