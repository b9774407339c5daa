/**
 * Reads how a client reaches this server: its address, and the scheme, host and path prefix by which it knows the
 * server. Only a trusted proxy may report them in `X-Forwarded-For`, `-Proto`, `-Host` and `-Prefix`; from any other
 * peer they are ignored. No other file reads these headers.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { plainAddress } from './addresses.ts';
import { isBasePath } from './base-path.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

export interface ClientRoute {
  /** Address of the client; empty when its connection is gone. */
  readonly address: string;
  readonly scheme: 'http' | 'https';
  /** Name and port as in the header `Host`; undefined when the request has none. */
  readonly host: string | undefined;
  /** The path that a proxy cuts off: `/signalbox`; empty if none. */
  readonly prefix: string;
}

/** All headers by which a proxy describes the client. */
export const FORWARDED_HEADERS: readonly string[] = [
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-prefix',
  'x-forwarded-proto',
  'x-real-ip',
];

const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i;

/** The addresses of clients whose requests another process has passed on. */
const told = new WeakMap<IncomingMessage, string>();

const route = Symbol('client route');

/** Each stage of a request asks for the route. A property costs less than a weak map. */
interface Routed extends IncomingMessage {
  [route]?: ClientRoute | undefined;
}

/** Another process of this installation has passed the request on; `address` is that of its client's connection. */
export function tellClient(request: Routed, address: string): void {
  told.set(request, address);
  request[route] = undefined;
}

export function isPassedOn(request: IncomingMessage): boolean {
  return told.has(request);
}

/** It is read once, so a request keeps the address of its client when the connection is gone. */
export function clientRouteOf(trusted: TrustedProxies, request: Routed): ClientRoute {
  request[route] ??= readRoute(trusted, request);
  return request[route];
}

function readRoute(trusted: TrustedProxies, request: IncomingMessage): ClientRoute {
  const { headers, socket } = request;
  const peer = plainAddress(told.get(request) ?? socket.remoteAddress ?? '');
  if (!trusted.includes(peer)) return { address: peer, scheme: 'http', host: headers.host, prefix: '' };
  const { address, proxies } = walk(trusted, peer, listOf(headers, 'x-forwarded-for'));
  const said = (name: string) => saidBy(proxies, listOf(headers, name));
  const scheme = said('x-forwarded-proto')?.toLowerCase();
  const host = said('x-forwarded-host');
  const prefix = said('x-forwarded-prefix')?.replace(/\/+$/, '');
  return {
    address,
    scheme: scheme === 'https' ? 'https' : 'http',
    host: host !== undefined && HOST.test(host) ? host : headers.host,
    prefix: prefix !== undefined && isBasePath(prefix) ? prefix : '',
  };
}

/** The settings that decide where people reach this server; `Config` declares each. */
interface PublicPathOptions {
  readonly basePath: string;
  readonly trustedProxies: TrustedProxies;
}

interface PublicUrlOptions extends PublicPathOptions {
  readonly publicUrl: string;
}

/** The path below which people reach this server: what a trusted proxy cut off, else the setting. Empty for the root. */
export function publicPathOf({ basePath, trustedProxies }: PublicPathOptions, request: IncomingMessage): string {
  return clientRouteOf(trustedProxies, request).prefix || basePath;
}

/**
 * The address at which people reach this server, without a slash at its end: the setting, else the address of the
 * request, as a trusted proxy reports it.
 */
export function publicUrlOf(options: PublicUrlOptions, request: IncomingMessage): string {
  const path = publicPathOf(options, request);
  if (options.publicUrl) return options.publicUrl + path;
  const { scheme, host } = clientRouteOf(options.trustedProxies, request);
  return `${scheme}://${host ?? 'localhost'}${path}`;
}

/**
 * Goes from the connection outwards: while a proxy is trusted, the address that it reports is believed. `proxies` is
 * the number of trusted proxies.
 */
function walk(trusted: TrustedProxies, peer: string, said: readonly string[]): { address: string; proxies: number } {
  let address = peer;
  let proxies = 1;
  for (const entry of said.toReversed()) {
    const before = forwardedAddress(entry);
    if (before === undefined) break;
    address = before;
    if (!trusted.includes(before)) break;
    proxies += 1;
  }
  return { address, proxies };
}

/** Each proxy appends its peer. The entry of the outermost trusted proxy counts; the client wrote those before it. */
function saidBy(proxies: number, entries: readonly string[]): string | undefined {
  return entries[Math.max(0, entries.length - proxies)];
}

function listOf(headers: IncomingHttpHeaders, name: string): string[] {
  const value = headers[name];
  const text = Array.isArray(value) ? value.join(',') : (value ?? '');
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** The address without port and brackets; undefined when the entry is not an address. */
function forwardedAddress(entry: string): string | undefined {
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry;
  return isIP(bare) === 0 ? undefined : plainAddress(bare);
}
