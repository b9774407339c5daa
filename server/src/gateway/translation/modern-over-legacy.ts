/**
 * Lets clients of the stateless revision use a server that knows sessions only. The session is opened here, for one
 * actor; the server is told that its client answers no questions, so it asks none. Source: MCP contract, sections 2 and 3.
 */
import type { AnswerSink, Upstream, UpstreamCall, UpstreamRequest } from '../../upstream/upstream.ts';
import { UpstreamError } from '../../upstream/upstream.ts';
import { ask } from '../ask.ts';
import { CLIENT_INFO_KEY, LEGACY_VERSION, MODERN_VERSION, PROTOCOL_VERSION_KEY, SERVER_INFO_KEY } from '../era.ts';
import { Conversation, isRequest, type JsonMessage, messageIn, objectOr } from './conversation.ts';

interface LegacySession {
  readonly headers: Readonly<Record<string, string>>;
  readonly result: JsonMessage;
}

const TIMEOUT_SECONDS = 30;
const META_PREFIX = 'io.modelcontextprotocol/';
/** Results that say how long they hold. Nothing is known of these, so they hold for nobody else and no time. */
const CACHEABLE = /^(tools\/list|prompts\/list|resources\/(list|templates\/list|read))$/;
const METHOD_NOT_FOUND = -32601;
const RESOURCE_NOT_FOUND = -32002;
const INVALID_PARAMS = -32602;
const SUBSCRIPTION_KEY = `${META_PREFIX}subscriptionId`;

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
    const session = await this.#sessionFor(message);
    if (message['method'] === 'server/discover') {
      conversation.finish(discovered(message, session.result));
      return;
    }
    if (message['method'] === 'subscriptions/listen') {
      this.#listen(conversation, request, message, session);
      return;
    }
    const sent = { method: 'POST', headers: legacyHeaders(request, session), body: legacyBody(message) } as const;
    conversation.ask(this.#upstream, sent, {
      begin: (status) => {
        if (status !== 404 || !first) return true;
        // The session has ended: the message was not taken, so it goes into another one.
        this.#session = undefined;
        this.#answer(conversation, request, message, false).catch((error) => conversation.fail(error));
        return false;
      },
      message: (answer) => {
        if (answer['id'] === message['id'] && !('method' in answer))
          conversation.finish(...modernAnswer(message, answer));
        else if (!isRequest(answer)) conversation.event(answer);
        else this.#decline(session, answer);
      },
      end: (status) => {
        if (status !== 404 || !first) conversation.fail(new UpstreamError('answer', 'The server did not answer.'));
      },
    });
  }

  #sessionFor(message: JsonMessage): Promise<LegacySession> {
    if (!this.#session) {
      const opening = this.#open(objectOr(objectOr(message['params'])['_meta'])[CLIENT_INFO_KEY]);
      this.#session = opening;
      opening.catch(() => {
        if (this.#session === opening) this.#session = undefined;
      });
    }
    return this.#session;
  }

  async #open(clientInfo: unknown): Promise<LegacySession> {
    const params = {
      protocolVersion: LEGACY_VERSION,
      capabilities: {},
      clientInfo: clientInfo ?? { name: 'signalbox', version: '' },
    };
    const question = { jsonrpc: '2.0', id: 'signalbox-initialize', method: 'initialize', params };
    const answer = await ask(this.#upstream, 'POST', {}, question, TIMEOUT_SECONDS);
    const result = objectOr(answer.message?.['result']);
    if (typeof result['protocolVersion'] !== 'string') {
      throw new UpstreamError('answer', 'The server does not open a session.');
    }
    const id = answer.headers['mcp-session-id'];
    const headers = {
      'mcp-protocol-version': result['protocolVersion'],
      ...(typeof id === 'string' ? { 'mcp-session-id': id } : {}),
    };
    await ask(
      this.#upstream,
      'POST',
      headers,
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      TIMEOUT_SECONDS,
    );
    return { headers, result };
  }

  /** Opens the session's stream, and passes on what was asked for. */
  #listen(conversation: Conversation, request: UpstreamRequest, message: JsonMessage, session: LegacySession): void {
    const wanted = objectOr(objectOr(message['params'])['notifications']);
    const uris = Array.isArray(wanted['resourceSubscriptions']) ? wanted['resourceSubscriptions'] : [];
    const stamp = { [SUBSCRIPTION_KEY]: message['id'] };
    for (const uri of uris) this.#tell(session, 'resources/subscribe', { uri });
    conversation.event({
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: wanted, _meta: stamp },
    });
    const headers = { ...legacyHeaders(request, session), accept: 'text/event-stream' };
    conversation.ask(
      this.#upstream,
      { method: 'GET', headers, body: null },
      {
        // A server without such a stream has nothing to tell, and the subscription stays silent.
        begin: (status) => status === 200,
        message: (notice) => {
          if (isRequest(notice)) {
            this.#decline(session, notice);
            return;
          }
          if (!isWanted(notice, wanted)) return;
          const params = objectOr(notice['params']);
          conversation.event({ ...notice, params: { ...params, _meta: { ...objectOr(params['_meta']), ...stamp } } });
        },
        end: (status) => {
          if (status === 200)
            conversation.finish({ jsonrpc: '2.0', id: message['id'], result: { resultType: 'complete' } });
        },
      },
    );
  }

  /** A question of the server, which it was told not to ask. */
  #decline(session: LegacySession, question: JsonMessage): void {
    const answer =
      question['method'] === 'ping'
        ? { jsonrpc: '2.0', id: question['id'], result: {} }
        : { jsonrpc: '2.0', id: question['id'], error: { code: METHOD_NOT_FOUND, message: 'Method not found' } };
    ask(this.#upstream, 'POST', session.headers, answer, TIMEOUT_SECONDS).catch(() => {});
  }

  #tell(session: LegacySession, method: string, params: JsonMessage): void {
    const question = { jsonrpc: '2.0', id: `signalbox-${method}-${params['uri']}`, method, params };
    ask(this.#upstream, 'POST', session.headers, question, TIMEOUT_SECONDS).catch(() => {});
  }
}

function legacyHeaders({ headers }: UpstreamRequest, session: LegacySession): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => !name.startsWith('mcp-'));
  return { ...Object.fromEntries(kept), ...session.headers };
}

function legacyBody(message: JsonMessage): Buffer {
  const { _meta, ...params } = objectOr(message['params']);
  const meta = Object.fromEntries(Object.entries(objectOr(_meta)).filter(([key]) => !key.startsWith(META_PREFIX)));
  const kept = Object.keys(meta).length === 0 ? params : { ...params, _meta: meta };
  return Buffer.from(JSON.stringify({ ...message, params: kept }));
}

function modernAnswer(asked: JsonMessage, answer: JsonMessage): [JsonMessage, number] {
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
  const error = {
    code: -32022,
    message: 'Unsupported protocol version',
    data: { supported: [MODERN_VERSION], requested: requested ?? null },
  };
  return { jsonrpc: '2.0', id: asked['id'], error };
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
