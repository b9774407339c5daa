/**
 * Decides where people sign in MCP clients with the browser: the issuer of tokens, and the origin of the MCP servers
 * that accept them. OAuth needs https, except on this machine, so it works at `SIGNALBOX_PUBLIC_URL` and, without that
 * setting, at addresses of this machine.
 */
import type { IncomingMessage } from 'node:http';
import { clientRouteOf, publicPathOf } from './client-route.ts';
import { isLoopback } from './networks.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

export interface OAuthPlace {
  /** `https://signalbox.example`, with the path that a proxy adds. */
  readonly issuer: string;
  /** The origin of the addresses of MCP servers. */
  readonly servers: string;
}

/** The settings that decide it; `Config` declares each. */
interface PlaceOptions {
  readonly oauth: boolean;
  readonly publicUrl: string;
  readonly serversUrl: string;
}

/** Undefined if people cannot sign in clients there. `address` is the address at which people reach this server. */
export function oauthPlaceAt({ oauth, publicUrl, serversUrl }: PlaceOptions, address: string): OAuthPlace | undefined {
  const issuer = URL.parse(address);
  const servers = serversUrl === '' ? issuer : URL.parse(serversUrl);
  if (!oauth || !issuer || !servers || !isSafe(issuer) || !isSafe(servers)) return undefined;
  if (publicUrl === '' && (serversUrl !== '' || !isLocal(issuer))) return undefined;
  const prefix = issuer.pathname.replace(/\/$/, '');
  return { issuer: issuer.origin + prefix, servers: servers.origin + prefix };
}

/**
 * Like `oauthPlaceAt`, for a request to an MCP server. Also undefined if the client knows the server by another origin.
 */
export function oauthPlaceOfServer(
  options: PlaceOptions & { readonly basePath: string; readonly trustedProxies: TrustedProxies },
  request: IncomingMessage,
): OAuthPlace | undefined {
  const { scheme, host } = clientRouteOf(options.trustedProxies, request);
  const prefix = publicPathOf(options, request);
  const own = URL.parse(`${scheme}://${host}`);
  const place = own ? oauthPlaceAt(options, (options.publicUrl || own.origin) + prefix) : undefined;
  return own && place?.servers === own.origin + prefix ? place : undefined;
}

/** Source: RFC 9728, section 3.1. */
export const RESOURCE_METADATA_PATH = '/.well-known/oauth-protected-resource';

/** The address of the metadata that tells a client of the server at `servingPath` where to sign in. */
export function resourceMetadataUrl({ servers }: OAuthPlace, servingPath: string): string {
  return servers + RESOURCE_METADATA_PATH + servingPath;
}

function isSafe(url: URL): boolean {
  return url.protocol === 'https:' || isLocal(url);
}

function isLocal({ hostname }: URL): boolean {
  return isLoopback(hostname.replace(/^\[|\]$/g, ''));
}
