/** One HTTP request to a target that a user chose: guarded, bounded in time and size, with every redirect checked. */

import { STATUS_CODES } from 'node:http';
import type { Agent, Dispatcher } from 'undici';
import { counted } from '../values/counted.ts';
import { connectionErrorOf, isRefusal } from './connection-error.ts';
import { checkUrl, guardedAgent, type Resolver, type TargetPolicy } from './guard.ts';
import { OutboundError } from './outbound-error.ts';

export interface OutboundRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

export interface OutboundOptions extends TargetPolicy {
  /** Seconds for everything: connecting, sending, reading the answer, redirects. */
  readonly timeoutSeconds: number;
  /** Ends the request from outside. */
  readonly signal?: AbortSignal | undefined;
  /** Redirects that are followed, 0 by default. A redirect beyond them is the answer. */
  readonly maxRedirects?: number;
  readonly maxRequestBytes?: number;
  /** The rest of a longer answer is not read. */
  readonly maxResponseBytes?: number;
  readonly resolve?: Resolver;
}

export interface OutboundAnswer {
  readonly status: number;
  /** Names in lower case; repeated headers joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const MAX_REQUEST_BYTES = 1_048_576;
const MAX_RESPONSE_BYTES = 262_144;
/** Headers of an answer, bytes. */
const MAX_HEADER_BYTES = 32_768;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Headers that are not sent to another origin. */
const CREDENTIALS = new Set(['authorization', 'cookie', 'proxy-authorization']);

/** Throws OutboundError when no answer comes. An answer of any status resolves. */
export async function send(given: OutboundRequest, options: OutboundOptions): Promise<OutboundAnswer> {
  if (Buffer.byteLength(given.body ?? '') > (options.maxRequestBytes ?? MAX_REQUEST_BYTES)) {
    throw new OutboundError('size', 'The request is too large.');
  }
  const timeout = AbortSignal.timeout(options.timeoutSeconds * 1000);
  const signal = options.signal ? AbortSignal.any([timeout, options.signal]) : timeout;
  const agents: Agent[] = [];
  try {
    let next = given;
    for (let redirects = options.maxRedirects ?? 0; ; redirects--) {
      const url = urlOf(next.url);
      checkUrl(url, options);
      const agent = await guardedAgent(url, options, options.resolve);
      agents.push(agent);
      const answer = await exchange(agent, url, next, signal, options.maxResponseBytes ?? MAX_RESPONSE_BYTES);
      const target = redirects > 0 && REDIRECTS.has(answer.status) ? answer.headers['location'] : undefined;
      if (target === undefined) return answer;
      next = redirected(next, url, urlOf(target, url), answer.status);
    }
  } catch (error) {
    throw outboundErrorOf(error, timeout, options);
  } finally {
    await Promise.all(agents.map((agent) => agent.destroy()));
  }
}

async function exchange(
  dispatcher: Dispatcher,
  url: URL,
  { method, headers, body }: OutboundRequest,
  signal: AbortSignal,
  maxBytes: number,
): Promise<OutboundAnswer> {
  const { request } = await import('undici');
  const answer = await request(url, {
    dispatcher,
    method: method as Dispatcher.HttpMethod,
    headers: { 'accept-encoding': 'identity', ...headers },
    ...(body === undefined ? {} : { body }),
    signal,
  });
  const text = await readUpTo(answer.body, maxBytes);
  return { status: answer.statusCode, headers: plainHeaders(answer.headers), body: text };
}

async function readUpTo(body: AsyncIterable<Buffer>, maxBytes: number): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of body) {
    parts.push(part);
    size += part.length;
    if (size >= maxBytes) break;
  }
  return Buffer.concat(parts).subarray(0, maxBytes).toString('utf8');
}

function plainHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const plain: Record<string, string> = {};
  let size = 0;
  for (const [name, value] of Object.entries(headers)) {
    const text = Array.isArray(value) ? value.join(', ') : (value ?? '');
    size += name.length + text.length;
    if (size > MAX_HEADER_BYTES) break;
    plain[name] = text;
  }
  return plain;
}

/**
 * Follows a redirect as browsers do: 303, and 301 and 302 of a POST, become a GET; credentials stay within their
 * origin.
 */
function redirected(from: OutboundRequest, origin: URL, target: URL, status: number): OutboundRequest {
  const becomesGet = status === 303 || (status < 303 && from.method === 'POST');
  const headers = Object.entries(from.headers ?? {}).filter(([name]) => {
    const lower = name.toLowerCase();
    if (becomesGet && lower.startsWith('content-')) return false;
    return origin.origin === target.origin || !CREDENTIALS.has(lower);
  });
  return {
    url: target.href,
    method: becomesGet ? 'GET' : from.method,
    headers: Object.fromEntries(headers),
    body: becomesGet ? undefined : from.body,
  };
}

function urlOf(text: string, base?: URL): URL {
  const url = URL.parse(text, base);
  if (!url) throw new OutboundError('unusable', 'The URL is not valid.');
  return url;
}

/** The libraries' own messages are not shown, because they may contain the URL. */
function outboundErrorOf(error: unknown, timeout: AbortSignal, options: OutboundOptions): OutboundError {
  if (!isRefusal(error) && timeout.aborted) {
    return new OutboundError('timeout', `There was no answer within ${counted(options.timeoutSeconds, 'second')}.`);
  }
  if (!isRefusal(error) && options.signal?.aborted) return new OutboundError('connection', 'The request was canceled.');
  return connectionErrorOf(error);
}

/** For example, `404 Not Found`. */
export function statusText(status: number): string {
  return `${status} ${STATUS_CODES[status] ?? ''}`.trim();
}
