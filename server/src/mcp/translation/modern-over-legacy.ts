/**
 * Lets clients of the stateless revision use a server that knows sessions only. All clients of one actor share a session
 * that is opened here, so their ids and progress tokens are exchanged for others.
 * Source: modelcontextprotocol.io/specification/2025-11-25/basic/transports and /2026-07-28/basic.
 */

import {
  INVALID_PARAMS,
  METHOD_NOT_FOUND,
  RESOURCE_NOT_FOUND,
  UNSUPPORTED_PROTOCOL_VERSION,
} from '../protocol/codes.ts';
import { MODERN_VERSION } from '../protocol/era.ts';
import { errorResponse, isResponseTo } from '../protocol/message.ts';
import {
  CLIENT_INFO_KEY,
  META_PREFIX,
  PROTOCOL_VERSION_KEY,
  SERVER_INFO_KEY,
  SUBSCRIPTION_ID_KEY,
} from '../protocol/meta.ts';
import type { AnswerSink, Upstream, UpstreamCall, UpstreamRequest } from '../upstream/upstream.ts';
import { UpstreamError } from '../upstream/upstream.ts';
import { Conversation, isRequest, type JsonMessage, messageIn, objectOr } from './conversation.ts';
import { LegacySession } from './legacy-session.ts';
import type { StreamListener } from './session-stream.ts';

/** Results that say how long they hold. Nothing is known of these, so they hold for nobody else and no time. */
const CACHEABLE = /^(tools\/list|prompts\/list|resources\/(list|templates\/list|read))$/;

export class ModernOverLegacy implements Upstream {
  readonly #upstream: Upstream;
  #session: Promise<LegacySession> | undefined;

  constructor(upstream: Upstream) {
    this.#upstream = upstream;
  }

  send(request: UpstreamRequest, sink: AnswerSink): UpstreamCall {
    const conversation = new Conversation(sink);
    const message = messageIn(request);
    if (request.method !== 'POST') conversation.finish(undefined, 405, { allow: 'POST' });
    else this.#answer(conversation, request, message, true).catch((error) => conversation.fail(error));
    return conversation;
  }

  async #answer(
    conversation: Conversation,
    request: UpstreamRequest,
    message: JsonMessage,
    first: boolean,
  ): Promise<void> {
    if (!isRequest(message)) {
      conversation.finish(undefined, 202);
      return;
    }
    const version = objectOr(objectOr(message['params'])['_meta'])[PROTOCOL_VERSION_KEY];
    if (version !== MODERN_VERSION) {
      conversation.finish(unsupported(message, version), 400);
      return;
    }
    const opening = this.#sessionFor(message);
    const session = await opening;
    if (conversation.over) return;
    if (message['method'] === 'server/discover') {
      conversation.finish(discovered(message, session.result));
      return;
    }
    if (message['method'] === 'subscriptions/listen') {
      this.#listen(conversation, message, session, () => this.#forget(opening));
      return;
    }
    const id = session.newId();
    const sent = { method: 'POST', headers: legacyHeaders(request, session), body: legacyBody(message, id) } as const;
    // To this server a connection that ends is no sign that nobody wants the answer.
    conversation.whenAborted(() =>
      session.tell({ method: 'notifications/cancelled', params: { requestId: id, reason: 'The client has left.' } }),
    );
    conversation.ask(this.#upstream, sent, {
      begin: (status) => {
        if (status !== 404 || !first) return true;
        // The session has ended: the message was not taken, so it goes into another one.
        this.#forget(opening);
        this.#answer(conversation, request, message, false).catch((error) => conversation.fail(error));
        return false;
      },
      message: (answer) => {
        if (isRequest(answer)) session.decline(answer);
        else if ('method' in answer) conversation.event(withOwnToken(answer, id, message));
        else if (isResponseTo(answer, id)) conversation.finish(...modernAnswer(message, answer));
      },
      end: (status) => {
        if (status !== 404 || !first) conversation.fail(new UpstreamError('answer', 'The server did not answer.'));
      },
    });
  }

  #sessionFor(message: JsonMessage): Promise<LegacySession> {
    if (!this.#session) {
      const info = objectOr(objectOr(message['params'])['_meta'])[CLIENT_INFO_KEY];
      const opening = LegacySession.open(this.#upstream, info);
      this.#session = opening;
      opening.catch(() => this.#forget(opening));
    }
    return this.#session;
  }

  /** The next request opens another one. */
  #forget(opening: Promise<LegacySession>): void {
    if (this.#session === opening) this.#session = undefined;
  }

  /** Passes on what was asked for of what the session's stream tells. */
  #listen(conversation: Conversation, message: JsonMessage, session: LegacySession, forget: () => void): void {
    const wanted = objectOr(objectOr(message['params'])['notifications']);
    const uris = Array.isArray(wanted['resourceSubscriptions']) ? wanted['resourceSubscriptions'] : [];
    const stamp = { [SUBSCRIPTION_ID_KEY]: message['id'] };
    conversation.event({
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: wanted, _meta: stamp },
    });
    const listener: StreamListener = {
      uris: uris.filter((uri) => typeof uri === 'string'),
      notice: (notice) => {
        if (!isWanted(notice, wanted)) return;
        const params = objectOr(notice['params']);
        conversation.event({ ...notice, params: { ...params, _meta: { ...objectOr(params['_meta']), ...stamp } } });
      },
      ended: (gone) => {
        if (gone) forget();
        conversation.finish({ jsonrpc: '2.0', id: message['id'], result: { resultType: 'complete', _meta: stamp } });
      },
      failed: (error) => conversation.fail(error),
    };
    conversation.whenAborted(() => session.stream.remove(listener));
    session.stream.add(listener);
  }
}

function legacyHeaders({ headers }: UpstreamRequest, session: LegacySession): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => !name.startsWith('mcp-'));
  return { ...Object.fromEntries(kept), ...session.headers };
}

/** The message under the id by which the server knows it, which is also the token of its progress. */
function legacyBody(message: JsonMessage, id: number): Buffer {
  const { _meta, ...params } = objectOr(message['params']);
  const meta = Object.fromEntries(Object.entries(objectOr(_meta)).filter(([key]) => !key.startsWith(META_PREFIX)));
  if (meta['progressToken'] !== undefined) meta['progressToken'] = id;
  const kept = Object.keys(meta).length === 0 ? params : { ...params, _meta: meta };
  return Buffer.from(JSON.stringify({ ...message, id, params: kept }));
}

/** Progress under the token that the client chose. */
function withOwnToken(notice: JsonMessage, id: number, asked: JsonMessage): JsonMessage {
  const params = objectOr(notice['params']);
  if (notice['method'] !== 'notifications/progress' || params['progressToken'] !== id) return notice;
  const { progressToken } = objectOr(objectOr(asked['params'])['_meta']);
  return { ...notice, params: { ...params, progressToken } };
}

function modernAnswer(asked: JsonMessage, given: JsonMessage): [JsonMessage, number] {
  const answer: JsonMessage = { ...given, id: asked['id'] };
  if ('error' in answer) {
    const error = objectOr(answer['error']);
    if (error['code'] === METHOD_NOT_FOUND) return [answer, 404];
    if (error['code'] === RESOURCE_NOT_FOUND) return [{ ...answer, error: { ...error, code: INVALID_PARAMS } }, 200];
    return [answer, 200];
  }
  const holds = CACHEABLE.test(String(asked['method'])) ? { ttlMs: 0, cacheScope: 'private' } : {};
  return [{ ...answer, result: { resultType: 'complete', ...holds, ...objectOr(answer['result']) } }, 200];
}

function discovered(asked: JsonMessage, { capabilities, instructions, serverInfo }: JsonMessage): JsonMessage {
  const result = {
    resultType: 'complete',
    supportedVersions: [MODERN_VERSION],
    capabilities: objectOr(capabilities),
    ...(instructions === undefined ? {} : { instructions }),
    ttlMs: 0,
    cacheScope: 'private',
    _meta: { [SERVER_INFO_KEY]: serverInfo },
  };
  return { jsonrpc: '2.0', id: asked['id'], result };
}

function unsupported(asked: JsonMessage, requested: unknown): JsonMessage {
  const data = { supported: [MODERN_VERSION], requested: requested ?? null };
  return errorResponse(asked['id'], UNSUPPORTED_PROTOCOL_VERSION, 'Unsupported protocol version', data);
}

function isWanted(notice: JsonMessage, wanted: JsonMessage): boolean {
  switch (notice['method']) {
    case 'notifications/tools/list_changed':
      return wanted['toolsListChanged'] === true;
    case 'notifications/prompts/list_changed':
      return wanted['promptsListChanged'] === true;
    case 'notifications/resources/list_changed':
      return wanted['resourcesListChanged'] === true;
    case 'notifications/resources/updated': {
      const uris = wanted['resourceSubscriptions'];
      return Array.isArray(uris) && uris.includes(objectOr(notice['params'])['uri']);
    }
    default:
      return false;
  }
}
