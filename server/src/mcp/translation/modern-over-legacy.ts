/**
 * Lets clients of the stateless revision use a server that supports only sessions. All clients of one actor share a
 * session that is opened here, so their ids and progress tokens are replaced. Source:
 * modelcontextprotocol.io/specification/2025-11-25/basic/transports and /2026-07-28/basic.
 */

import {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  METHOD_NOT_FOUND,
  MISSING_CLIENT_CAPABILITY,
  RESOURCE_NOT_FOUND,
} from '../protocol/codes.ts';
import { MODERN_VERSION } from '../protocol/era.ts';
import { errorResponse, isResponseTo, type JsonObject, messageOf } from '../protocol/message.ts';
import {
  CLIENT_CAPABILITIES_KEY,
  CLIENT_INFO_KEY,
  META_PREFIX,
  SERVER_INFO_KEY,
  SUBSCRIPTION_ID_KEY,
} from '../protocol/meta.ts';
import { faultAnswer, statelessFault } from '../protocol/stateless.ts';
import { inputRequiredFor, pagesRequiredBy, supportsPages, URL_CAPABILITY } from '../protocol/url-elicitation.ts';
import type { AnswerSink, Upstream, UpstreamCall, UpstreamRequest } from '../upstream/upstream.ts';
import { UpstreamError } from '../upstream/upstream.ts';
import { Conversation, isRequest, messageIn, objectOr, type Settlement } from './conversation.ts';

import type { StreamListener } from './session-stream.ts';
import { UpstreamSession } from './upstream-session.ts';

/** Results that have a lifetime. The server gives none, so they are marked private and expired. */
const CACHEABLE = /^(tools\/list|prompts\/list|resources\/(list|templates\/list|read))$/;

export class ModernOverLegacy implements Upstream {
  readonly #session: SharedSession;

  constructor(upstream: Upstream) {
    this.#session = new SharedSession(upstream);
  }

  send(request: UpstreamRequest, sink: AnswerSink): UpstreamCall {
    const call = new ModernCall(sink, request, this.#session);
    if (request.method === 'POST') call.begin();
    else call.finish(undefined, 405, { allow: 'POST' });
    return call;
  }
}

/**
 * The sessions with the server that all clients of the actor share: one for clients that can show pages, one for the
 * others.
 */
class SharedSession {
  readonly upstream: Upstream;
  readonly #opening = new Map<boolean, Promise<UpstreamSession>>();

  constructor(upstream: Upstream) {
    this.upstream = upstream;
  }

  /** The open session, or one that opens on behalf of the current client. */
  get(meta: JsonObject): Promise<UpstreamSession> {
    const showsPages = supportsPages(meta[CLIENT_CAPABILITIES_KEY]);
    const known = this.#opening.get(showsPages);
    if (known) return known;
    const client = { info: meta[CLIENT_INFO_KEY], capabilities: showsPages ? URL_CAPABILITY : {} };
    const opening = UpstreamSession.open(this.upstream, client);
    this.#opening.set(showsPages, opening);
    opening.catch(() => this.forget(opening));
    return opening;
  }

  /** The next request opens another one. */
  forget(forgotten: Promise<UpstreamSession>): void {
    for (const [key, opening] of this.#opening) if (opening === forgotten) this.#opening.delete(key);
  }
}

/** The state of a call. */
type Phase =
  | { readonly name: 'session' }
  | { readonly name: 'answer'; readonly session: UpstreamSession; readonly id: number }
  | { readonly name: 'notices'; readonly session: UpstreamSession; readonly listener: StreamListener };

/**
 * One request of a client.
 *
 *     session ──> answer ──(404: the session has ended, once)──> session
 *        └──────> notices
 */
class ModernCall extends Conversation {
  readonly #shared: SharedSession;
  readonly #request: UpstreamRequest;
  readonly #message: JsonObject;
  #phase: Phase = { name: 'session' };

  constructor(sink: AnswerSink, request: UpstreamRequest, shared: SharedSession) {
    super(sink);
    this.#shared = shared;
    this.#request = request;
    this.#message = messageIn(request);
  }

  begin(): void {
    const request = messageOf(this.#message);
    if (request?.kind !== 'request') {
      this.finish(undefined, 202);
      return;
    }
    const fault = statelessFault(request);
    if (fault) this.finish(faultAnswer(request, fault), fault.status);
    else if (declines(request.params)) {
      const text = 'The server asked to open a page, and the client declined.';
      this.finish(errorResponse(request.id, INTERNAL_ERROR, text));
    } else this.#openSession('first');
  }

  protected override settled(how: Settlement): void {
    if (how !== 'left') return;
    const phase = this.#phase;
    if (phase.name === 'notices') phase.session.stream.remove(phase.listener);
    // This server does not treat a closed connection as a cancellation.
    if (phase.name === 'answer') {
      const params = { requestId: phase.id, reason: 'The client has disconnected.' };
      phase.session.tell({ method: 'notifications/cancelled', params });
    }
  }

  #openSession(attempt: 'first' | 'second'): void {
    this.#phase = { name: 'session' };
    const opening = this.#shared.get(metaIn(this.#message));
    opening
      .then((session) => {
        if (!this.over) this.#useSession(session, attempt, () => this.#shared.forget(opening));
      })
      .catch((error) => this.fail(error));
  }

  /** `forget` discards an ended session. */
  #useSession(session: UpstreamSession, attempt: 'first' | 'second', forget: () => void): void {
    switch (this.#message['method']) {
      case 'server/discover':
        this.finish(discovered(this.#message, session.result));
        break;
      case 'subscriptions/listen':
        this.#listen(session, forget);
        break;
      default:
        this.#ask(session, attempt, forget);
    }
  }

  #ask(session: UpstreamSession, attempt: 'first' | 'second', forget: () => void): void {
    const message = this.#message;
    const id = session.newId();
    this.#phase = { name: 'answer', session, id };
    const request = {
      method: 'POST',
      headers: legacyHeaders(this.#request, session),
      body: legacyBody(message, id),
    } as const;
    const hasEnded = (status: number) => status === 404 && attempt === 'first';
    this.ask(this.#shared.upstream, request, {
      begin: (status) => {
        if (!hasEnded(status)) return true;
        // The message was not accepted, so it is sent in another session.
        forget();
        this.#openSession('second');
        return false;
      },
      message: (answer) => {
        if (isRequest(answer)) session.decline(answer);
        else if ('method' in answer) this.event(withOwnToken(answer, id, message));
        else if (isResponseTo(answer, id)) this.finish(...modernAnswer(message, answer));
      },
      end: (status) => {
        if (!hasEnded(status)) this.fail(new UpstreamError('answer', 'The server did not answer.'));
      },
    });
  }

  /** Forwards the notifications of the session's stream that the client subscribed to. */
  #listen(session: UpstreamSession, forget: () => void): void {
    const { id, params } = this.#message;
    const wanted = objectOr(objectOr(params)['notifications']);
    const uris = Array.isArray(wanted['resourceSubscriptions']) ? wanted['resourceSubscriptions'] : [];
    const stamp = { [SUBSCRIPTION_ID_KEY]: id };
    this.event({
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: wanted, _meta: stamp },
    });
    const listener: StreamListener = {
      uris: uris.filter((uri) => typeof uri === 'string'),
      notice: (notice) => {
        if (!isWanted(notice, wanted)) return;
        const told = objectOr(notice['params']);
        this.event({ ...notice, params: { ...told, _meta: { ...objectOr(told['_meta']), ...stamp } } });
      },
      ended: (gone) => {
        if (gone) forget();
        this.finish({ jsonrpc: '2.0', id, result: { resultType: 'complete', _meta: stamp } });
      },
      failed: (error) => this.fail(error),
    };
    this.#phase = { name: 'notices', session, listener };
    session.stream.add(listener);
  }
}

function metaIn(message: JsonObject): JsonObject {
  return objectOr(objectOr(message['params'])['_meta']);
}

function legacyHeaders({ headers }: UpstreamRequest, session: UpstreamSession): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => !name.startsWith('mcp-'));
  return { ...Object.fromEntries(kept), ...session.headers };
}

/** The message with the server's id, which is also its progress token. */
function legacyBody(message: JsonObject, id: number): Buffer {
  // Removes the answers of a client that has shown pages, because this server only needs the same request again.
  const { _meta, inputResponses: _answers, requestState: _state, ...params } = objectOr(message['params']);
  const meta = Object.fromEntries(Object.entries(objectOr(_meta)).filter(([key]) => !key.startsWith(META_PREFIX)));
  if (meta['progressToken'] !== undefined) meta['progressToken'] = id;
  const kept = Object.keys(meta).length === 0 ? params : { ...params, _meta: meta };
  return Buffer.from(JSON.stringify({ ...message, id, params: kept }));
}

/** Restores the client's progress token. */
function withOwnToken(notice: JsonObject, id: number, asked: JsonObject): JsonObject {
  const params = objectOr(notice['params']);
  if (notice['method'] !== 'notifications/progress' || params['progressToken'] !== id) return notice;
  const { progressToken } = metaIn(asked);
  return { ...notice, params: { ...params, progressToken } };
}

/** True when the client has not opened a page that it was requested to open. */
function declines({ inputResponses }: Readonly<JsonObject>): boolean {
  return Object.values(objectOr(inputResponses)).some((answer) => objectOr(answer)['action'] !== 'accept');
}

/** The result that replaces an error that this revision does not have. */
function askedForPages(asked: JsonObject, pages: readonly JsonObject[]): [JsonObject, number] {
  const { id, method } = asked;
  if (!supportsPages(metaIn(asked)[CLIENT_CAPABILITIES_KEY])) {
    const text = 'The server asks to open a page, which the client does not support.';
    return [errorResponse(id, MISSING_CLIENT_CAPABILITY, text, { requiredCapabilities: URL_CAPABILITY }), 400];
  }
  const result = inputRequiredFor(method, pages);
  if (result) return [{ jsonrpc: '2.0', id, result }, 200];
  return [errorResponse(id, INTERNAL_ERROR, 'The server asks to open a page, which this request does not allow.'), 200];
}

function modernAnswer(asked: JsonObject, given: JsonObject): [JsonObject, number] {
  const pages = pagesRequiredBy(given);
  if (pages) return askedForPages(asked, pages);
  const answer: JsonObject = { ...given, id: asked['id'] };
  if ('error' in answer) {
    const error = objectOr(answer['error']);
    if (error['code'] === METHOD_NOT_FOUND) return [answer, 404];
    if (error['code'] === RESOURCE_NOT_FOUND) return [{ ...answer, error: { ...error, code: INVALID_PARAMS } }, 200];
    return [answer, 200];
  }
  const holds = CACHEABLE.test(String(asked['method'])) ? { ttlMs: 0, cacheScope: 'private' } : {};
  return [{ ...answer, result: { resultType: 'complete', ...holds, ...objectOr(answer['result']) } }, 200];
}

function discovered(asked: JsonObject, { capabilities, instructions, serverInfo }: JsonObject): JsonObject {
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

function isWanted(notice: JsonObject, wanted: JsonObject): boolean {
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
