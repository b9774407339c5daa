import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Config } from '../../config.ts';
import type { ClientInfo } from '../../context/context.ts';
import { clientNetwork } from '../../network/addresses.ts';
import { clientRouteOf, publicUrlOf } from '../../network/client-route.ts';
import { isUuid } from '../../values/id.ts';
import { apiPathOf, targetOf } from './hosted-address.ts';

/**
 * Reads the client's description of itself from its headers (a Prefect client sends its version and that of the API).
 */
export function readClientInfo(config: Config, request: IncomingMessage): ClientInfo {
  const { headers } = request;
  const userAgent = headers['user-agent'];
  return {
    version: userAgent === undefined ? undefined : /^prefect\/(\S+)/.exec(userAgent)?.[1],
    apiVersion: apiVersionOf(headers),
    automation: readAutomation(headers),
    apiUrl: publicUrlOf(config, request) + apiPathOf(request),
    isHosted: targetOf(request).kind === 'hosted',
    address: addressOf(config, request),
  };
}

/** Hosted clients use another header name with the same meaning. */
export function apiVersionOf(headers: IncomingHttpHeaders): string | undefined {
  const value = headers['x-prefect-api-version'] ?? headers['x-service-api-version'];
  return (Array.isArray(value) ? value[0] : value) || undefined;
}

function readAutomation(headers: IncomingHttpHeaders): ClientInfo['automation'] {
  const id = headers['prefect-automation-id'];
  const encoded = headers['prefect-automation-name'];
  if (typeof id !== 'string' || typeof encoded !== 'string' || !isUuid(id)) return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  // Buffer skips characters that are not base64, so only a name that encodes back to itself was readable.
  if (bytes.toString('base64').replace(/=+$/, '') !== encoded.replace(/=+$/, '')) return undefined;
  return { id: id.toLowerCase(), name: bytes.toString('utf8') };
}

/** The address of the client: the connected peer, or the client that a trusted proxy names. */
export function addressOf(config: Config, request: IncomingMessage): string {
  return clientRouteOf(config.trustedProxies, request).address;
}

const client = Symbol('client');

/** The client for the purpose of limits: one IPv4 address, or one IPv6 network of a household. */
export function clientOf(config: Config, request: IncomingMessage & { [client]?: string }): string {
  request[client] ??= `address ${clientNetwork(addressOf(config, request))}`;
  return request[client];
}

/** The address of the client, for the audit, and the public address of the server, for links. */
export function addressesOf(config: Config, request: IncomingMessage): [address: string, publicUrl: string] {
  return [clientRouteOf(config.trustedProxies, request).address, publicUrlOf(config, request)];
}
