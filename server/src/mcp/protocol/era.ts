/**
 * The two eras of the protocol over HTTP: revisions with sessions up to 2025-11-25 (`legacy`), and the stateless one
 * from 2026-07-28 (`modern`). Source: modelcontextprotocol.io/specification/2026-07-28/basic/versioning.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { HEADER_MISMATCH, UNSUPPORTED_PROTOCOL_VERSION } from './codes.ts';
import type { Message } from './message.ts';
import { protocolVersionOf } from './meta.ts';
import { NAMED_BY } from './methods.ts';

/** Characters of a header that an error repeats. */
const MAX_SHOWN = 100;

export type Era = 'legacy' | 'modern';

export const MODERN_VERSION = '2026-07-28';
/** The latest revision with sessions. */
export const LEGACY_VERSION = '2025-11-25';
/** Revisions with sessions, oldest first. Those of 2024 had another transport, but their clients use this one too. */
const LEGACY_VERSIONS = ['2024-10-07', '2024-11-05', '2025-03-26', '2025-06-18', LEGACY_VERSION];
const VERSIONS: ReadonlySet<string> = new Set([...LEGACY_VERSIONS, MODERN_VERSION]);

/** The revision of a session that a client opens with `requested`: that one if it is known, else the latest. */
export function agreedVersion(requested: unknown): string {
  return LEGACY_VERSIONS.find((known) => known === requested) ?? LEGACY_VERSION;
}

/** Revisions are dates, so they compare as text. */
export function eraOf(message: Message | undefined, headers: IncomingHttpHeaders): Era {
  if (message && protocolVersionOf(message) !== undefined) return 'modern';
  const version = headers['mcp-protocol-version'];
  return typeof version === 'string' && /^\d{4}-\d\d-\d\d$/.test(version) && version >= MODERN_VERSION
    ? 'modern'
    : 'legacy';
}

interface HeaderFault {
  readonly code: typeof HEADER_MISMATCH | typeof UNSUPPORTED_PROTOCOL_VERSION;
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/**
 * The fault of a revision that this server does not know, for any kind of server: no decision is possible about its
 * messages. Source: the transports of 2025-06-18 and later.
 */
export function versionFault(
  message: Message | undefined,
  { 'mcp-protocol-version': requested }: IncomingHttpHeaders,
): HeaderFault | undefined {
  if (requested === undefined || VERSIONS.has(String(requested))) return undefined;
  const isStateless = message !== undefined && protocolVersionOf(message) !== undefined;
  return {
    code: UNSUPPORTED_PROTOCOL_VERSION,
    message: 'Unsupported protocol version',
    // Only the stateless revision lets a client repeat the request.
    data: {
      supported: isStateless ? [MODERN_VERSION] : [...VERSIONS],
      requested: String(requested).slice(0, MAX_SHOWN),
    },
  };
}

/**
 * The headers must agree with the message in any revision: a program that decides by the headers must not see another
 * request than one that decides by the message. The modern revision also requires the headers.
 */
export function headerFault(message: Message, era: Era, headers: IncomingHttpHeaders): HeaderFault | undefined {
  const { 'mcp-protocol-version': version, 'mcp-method': method, 'mcp-name': name } = headers;
  if (message.kind === 'response') return method === undefined ? undefined : mismatch('Mcp-Method');
  const required = era === 'modern' && message.kind === 'request';
  const own = protocolVersionOf(message);
  if (own !== undefined && version !== own) return mismatch('MCP-Protocol-Version');
  if ((required || method !== undefined) && method !== message.method) return mismatch('Mcp-Method');
  const key = NAMED_BY[message.method];
  const wanted = key === undefined ? undefined : message.params[key];
  if (typeof wanted === 'string') {
    if ((required || name !== undefined) && decodedHeader(name) !== wanted) return mismatch('Mcp-Name');
  } else if (name !== undefined && era === 'modern') {
    return mismatch('Mcp-Name');
  }
  return undefined;
}

function mismatch(header: string): HeaderFault {
  return { code: HEADER_MISMATCH, message: `The header ${header} does not match the body.` };
}

/** Encodes text that is not safe in a header. */
export function encodedHeader(text: string): string {
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?')) return text;
  return `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

/** Values that are unsafe in a header are encoded as `=?base64?…?=`. Undefined for an invalid encoding. */
function decodedHeader(value: string | string[] | undefined): string | undefined {
  if (typeof value !== 'string') return undefined;
  const [, encoded] = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/.exec(value) ?? [];
  return encoded === undefined ? value : Buffer.from(encoded, 'base64').toString('utf8');
}
