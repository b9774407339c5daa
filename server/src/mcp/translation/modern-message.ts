/** Converts messages of a session to the stateless revision, and its answers to sessions. */

import { encodedHeader, MODERN_VERSION } from '../protocol/era.ts';
import type { JsonObject } from '../protocol/message.ts';
import { CLIENT_CAPABILITIES_KEY, CLIENT_INFO_KEY, LOG_LEVEL_KEY, PROTOCOL_VERSION_KEY } from '../protocol/meta.ts';
import { NAMED_BY } from '../protocol/methods.ts';
import type { UpstreamRequest } from '../upstream/upstream.ts';
import type { ClientSession } from './client-session.ts';
import { objectOr } from './conversation.ts';

/** Each request contains the facts that the session negotiated. */
export function modernRequest(
  { capabilities, client }: ClientSession,
  message: JsonObject,
  logLevel?: unknown,
): UpstreamRequest {
  const params = objectOr(message['params']);
  const _meta = {
    ...objectOr(params['_meta']),
    [PROTOCOL_VERSION_KEY]: MODERN_VERSION,
    [CLIENT_INFO_KEY]: client,
    [CLIENT_CAPABILITIES_KEY]: capabilities,
    ...(logLevel === undefined ? {} : { [LOG_LEVEL_KEY]: logLevel }),
  };
  const method = String(message['method']);
  const key = NAMED_BY[method];
  const name = key === undefined ? undefined : params[key];
  return {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': MODERN_VERSION,
      'mcp-method': method,
      ...(typeof name === 'string' ? { 'mcp-name': encodedHeader(name) } : {}),
    },
    body: Buffer.from(JSON.stringify({ ...message, params: { ...params, _meta } })),
  };
}

export function legacyAnswer(answer: JsonObject, id: unknown): JsonObject {
  if (!('result' in answer)) return { ...answer, id };
  const { resultType: _type, ttlMs: _ttl, cacheScope: _scope, ...result } = objectOr(answer['result']);
  return { ...answer, id, result };
}
