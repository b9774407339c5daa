/**
 * Opens a session with a server of the legacy revisions. Without client capabilities the server asks no questions.
 * Source: modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle.
 */
import { newTimeOrderedId } from '../../values/id.ts';
import { LEGACY_VERSION } from '../protocol/era.ts';
import { isObject, type JsonObject } from '../protocol/message.ts';
import { ask } from './ask.ts';
import type { Upstream } from './upstream.ts';

interface OpenedSession {
  /** Undefined if the server has no sessions. */
  readonly id: string | undefined;
  /** The headers of every request in it. */
  readonly headers: Readonly<Record<string, string>>;
  /** The result of `initialize`. */
  readonly result: JsonObject;
}

/** The client on whose behalf the session opens, in the form of `initialize`. */
export interface SessionClient {
  readonly info: unknown;
  readonly capabilities?: JsonObject | undefined;
}

interface Patience {
  /** Seconds until the server's first answer, because it may have to start. */
  readonly firstAnswerSeconds: number;
  readonly seconds: number;
}

/** `session` is undefined when the server opens none; `status` is that of its answer. Rejects with UpstreamError. */
export async function openSession(
  upstream: Upstream,
  { info: clientInfo, capabilities = {} }: SessionClient,
  { firstAnswerSeconds, seconds }: Patience,
): Promise<{ readonly status: number; readonly session: OpenedSession | undefined }> {
  const params = { protocolVersion: LEGACY_VERSION, capabilities, clientInfo };
  const question = { jsonrpc: '2.0', id: newTimeOrderedId(), method: 'initialize', params };
  const { status, headers: answered, message } = await ask(upstream, 'POST', {}, question, firstAnswerSeconds);
  const result = message?.['result'];
  if (!isObject(result) || typeof result['protocolVersion'] !== 'string') return { status, session: undefined };
  const given = answered['mcp-session-id'];
  const id = typeof given === 'string' ? given : undefined;
  const headers = {
    'mcp-protocol-version': result['protocolVersion'],
    ...(id === undefined ? {} : { 'mcp-session-id': id }),
  };
  await ask(upstream, 'POST', headers, { jsonrpc: '2.0', method: 'notifications/initialized' }, seconds);
  return { status, session: { id, headers, result } };
}
