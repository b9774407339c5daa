/**
 * Keeps web pages away from routes without a credential. A browser lets any page send requests to this machine, and a
 * name that a foreign DNS server points here makes the page "same origin" (DNS rebinding), so where the API is open the
 * header `Host` must hold a name that no public page can have, or one that the operator listed, and the header
 * `Origin`, which programs do not send, a page of this machine, of this server, or a listed one.
 */

import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { BoundedMap } from '../values/bounded-map.ts';
import { clientRouteOf } from './client-route.ts';
import { isLoopback } from './networks.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

/** The settings that decide it; `Config` declares each. */
interface PageGuardOptions {
  readonly apiAuth: 'open' | 'basic' | 'key';
  readonly publicUrl: string;
  readonly serversUrl: string;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly trustedProxies: TrustedProxies;
}

/**
 * Names by which container engines call the machine that they run on. The top-level domain `internal` is never public.
 */
const NAMES_OF_THE_HOST: ReadonlySet<string> = new Set(['host.docker.internal', 'host.containers.internal']);

/** The results are cached, because clients use a name or two, and parsing one costs more than the rest of the check. */
const MAX_KNOWN_HOSTS = 100;

export class PageGuard {
  readonly #options: PageGuardOptions;
  readonly #knownHosts = new BoundedMap<string, true>({ name: 'host names', most: MAX_KNOWN_HOSTS });

  constructor(options: PageGuardOptions) {
    this.#options = options;
  }

  /**
   * Returns the reason to refuse a request, for its sender; undefined to accept it. Checks only where the API is open.
   */
  refusalOf(request: IncomingMessage): string | undefined {
    if (this.#options.apiAuth !== 'open') return undefined;
    return this.hostRefusalOf(request) ?? this.#originRefusalOf(request);
  }

  /** Like `refusalOf`, but checks only the header `Host`, in every access mode. */
  hostRefusalOf(request: IncomingMessage): string | undefined {
    const { host } = request.headers;
    if (host !== undefined && !this.#isAllowedHost(host)) return hostRefusal(host);
    if (!this.#options.trustedProxies.any) return undefined;
    // Checks the headers that the proxy passes on from the client as well as those that it writes.
    const { host: forwarded } = clientRouteOf(this.#options.trustedProxies, request);
    return forwarded === undefined || this.#isAllowedHost(forwarded) ? undefined : hostRefusal(forwarded);
  }

  #originRefusalOf(request: IncomingMessage): string | undefined {
    const { origin } = request.headers;
    if (origin === undefined || this.#isAllowedOrigin(origin, request)) return undefined;
    return `Web pages of the origin ${shown(origin)} may not use this server, because it requires no credential. To allow them, add the origin to SIGNALBOX_ALLOWED_ORIGINS.`;
  }

  #isAllowedOrigin(origin: string, request: IncomingMessage): boolean {
    const { allowedOrigins, publicUrl, trustedProxies } = this.#options;
    if (allowedOrigins.includes(origin) || origin === publicUrl) return true;
    const url = URL.parse(origin);
    if (url === null || url.origin !== origin || !/^https?:$/.test(url.protocol)) return false;
    if (isLoopbackName(url.hostname)) return true;
    // Accepts the server's own pages. Their host has passed the check above, so no foreign page can have this origin.
    const { scheme, host } = clientRouteOf(trustedProxies, request);
    return host !== undefined && url.host === URL.parse(`${scheme}://${host}`)?.host;
  }

  #isAllowedHost(host: string): boolean {
    if (this.#knownHosts.get(host)) return true;
    if (!this.#isAllowedName(nameOf(host))) return false;
    this.#knownHosts.set(host, true);
    return true;
  }

  #isAllowedName(name: string | undefined): boolean {
    if (name === undefined) return false;
    if (isLoopbackName(name) || NAMES_OF_THE_HOST.has(name) || !name.includes('.')) return true;
    if (isIP(name.replace(/^\[|\]$/g, '')) !== 0) return true;
    const { allowedHosts, publicUrl, serversUrl } = this.#options;
    const own = [publicUrl, serversUrl].filter((url) => url !== '');
    return allowedHosts.includes(name) || own.some((url) => name === URL.parse(url)?.hostname);
  }
}

/** A name, or an address in brackets as in a URL, that browsers resolve to their own machine. */
function isLoopbackName(name: string): boolean {
  return isLoopback(name.replace(/^\[|\]$/g, '')) || name.endsWith('.localhost');
}

/** Undefined when the header holds more, or less, than a name and a port. */
function nameOf(host: string): string | undefined {
  return /^[^/?#@\\]+$/.test(host) ? URL.parse(`http://${host}`)?.hostname : undefined;
}

function hostRefusal(host: string): string {
  return `The Host header ${shown(host)} is not allowed, because this server requires no credential. To allow it, add the name to SIGNALBOX_ALLOWED_HOSTS or set SIGNALBOX_PUBLIC_URL.`;
}

/** Shortens and escapes a header for a sentence. */
function shown(value: string): string {
  const printable = value.replaceAll(/[^\x21-\x7e]/g, '?');
  return printable.length > 100 ? `${printable.slice(0, 100)}…` : printable;
}
