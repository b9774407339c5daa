/** A client of the revisions with sessions of a remix. */
import { newTimeOrderedId } from '../../../values/id.ts';
import { VERSION } from '../../../values/versions.ts';
import { INVALID_PARAMS, INVALID_REQUEST } from '../../protocol/codes.ts';
import { agreedVersion } from '../../protocol/era.ts';
import { isLogLevel, NO_LOG_LEVEL } from '../../protocol/log-level.ts';
import {
  errorResponse,
  isObject,
  type Message,
  type MessageId,
  type Notification,
  type Request,
} from '../../protocol/message.ts';
import { type ClientSession, idOf, sessionOf } from '../../translation/client-session.ts';
import { answerOwn } from '../../translation/own-answer.ts';
import type { AnswerSink, UpstreamCall, UpstreamRequest } from '../../upstream/upstream.ts';
import type { Forwarding } from '../calls/forwarding.ts';
import { listChangesOf } from '../calls/list-changes.ts';
import { MergedStream } from '../calls/merged-stream.ts';
import type { Remix } from '../composition/remix.ts';
import type { SessionLinks } from '../sources/links.ts';
import { openKeyedId, openQuestionId } from '../sources/source-ids.ts';
import { SourceMessages } from '../sources/source-messages.ts';
import { withJsonAt, withSourceTaskIds } from '../sources/source-requests.ts';

/** A session of the client, with its open requests at the sources. */
interface OpenedSession {
  readonly links: SessionLinks;
  readonly forwarding: Forwarding;
  end(): void;
}

export class SessionClient {
  readonly #remix: Remix;
  readonly #open: (session: ClientSession) => OpenedSession;

  constructor(remix: Remix, open: (session: ClientSession) => OpenedSession) {
    this.#remix = remix;
    this.#open = open;
  }

  send(request: UpstreamRequest, message: Message | undefined, sink: AnswerSink): UpstreamCall {
    if (message?.kind === 'request' && message.method === 'initialize') return this.#initialize(message, sink);
    const { 'mcp-session-id': sealed, 'mcp-protocol-version': _version, ...headers } = request.headers;
    const session = sessionOf(sealed);
    const id = message?.kind === 'request' ? message.id : undefined;
    if (!session) {
      const refusal = errorResponse(id, INVALID_REQUEST, 'A session is required. Send initialize first.');
      return answerOwn(sink, refusal, 400);
    }
    const opened = this.#open(session);
    const own = { ...request, headers };
    if (request.method === 'GET') return this.#stream(own, opened, sink);
    if (request.method === 'DELETE') {
      opened.end();
      return answerOwn(sink, undefined, 200);
    }
    switch (message?.kind) {
      case 'request':
        return this.#request(own, message, opened, sink);
      case 'notification':
        return this.#notification(own, message, opened, sink);
      case 'response':
        return this.#answer(own, message.id, opened, sink);
      default: {
        const refusal = errorResponse(undefined, INVALID_REQUEST, 'A remix accepts one message per request.');
        return answerOwn(sink, refusal, 400);
      }
    }
  }

  #initialize({ id, params }: Request, sink: AnswerSink): UpstreamCall {
    const { clientInfo, capabilities: abilities, protocolVersion } = params;
    const session: ClientSession = {
      id: newTimeOrderedId(),
      capabilities: isObject(abilities) ? abilities : {},
      client: isObject(clientInfo) ? clientInfo : {},
    };
    const { name, description, capabilities } = this.#remix;
    const result = {
      protocolVersion: agreedVersion(protocolVersion),
      capabilities,
      serverInfo: { name, version: VERSION },
      ...(description === '' ? {} : { instructions: description }),
    };
    return answerOwn(sink, { jsonrpc: '2.0', id, result }, 200, { 'mcp-session-id': idOf(session) });
  }

  #request(
    request: UpstreamRequest,
    message: Request,
    { links, forwarding }: OpenedSession,
    sink: AnswerSink,
  ): UpstreamCall {
    const { id, method, params } = message;
    if (method === 'ping') return answerOwn(sink, { jsonrpc: '2.0', id, result: {} });
    if (method === 'logging/setLevel') {
      const { level } = params;
      if (!isLogLevel(level)) return answerOwn(sink, errorResponse(id, INVALID_PARAMS, NO_LOG_LEVEL));
      links.setLogLevel(level);
      return answerOwn(sink, { jsonrpc: '2.0', id, result: {} });
    }
    return forwarding.send(request, message, sink, (source) => {
      links.underWay.set(id, source);
      return () => links.underWay.delete(id);
    });
  }

  #notification(
    request: UpstreamRequest,
    { method, params }: Notification,
    { links, forwarding }: OpenedSession,
    sink: AnswerSink,
  ): UpstreamCall {
    const { composition } = this.#remix;
    if (method === 'notifications/cancelled') {
      const source = links.underWay.get(params['requestId'] as MessageId);
      if (source) return forwarding.pass(source, request, sink);
    }
    if (method === 'notifications/progress') {
      const token = openQuestionId(params['progressToken']);
      const source = token && composition.sourceOf(token.key);
      if (source) {
        const body = withJsonAt(request.body, ['params', 'progressToken'], token.id);
        return forwarding.pass(source, { ...request, body }, sink);
      }
    }
    if (method === 'notifications/roots/list_changed') links.tellAll({ method });
    return answerOwn(sink, undefined, 202);
  }

  /** Forwards the client's answer to a question of a source. */
  #answer(
    request: UpstreamRequest,
    id: MessageId | null,
    { forwarding }: OpenedSession,
    sink: AnswerSink,
  ): UpstreamCall {
    const question = openQuestionId(id);
    const source = question && this.#remix.composition.sourceOf(question.key);
    if (!source) return answerOwn(sink, undefined, 202);
    const body = withJsonAt(withSourceTaskIds(request.body), ['id'], question.id);
    return forwarding.pass(source, { ...request, body }, sink);
  }

  /** A client that resumes a stream of one source opens the others again. */
  #stream(request: UpstreamRequest, { links }: OpenedSession, sink: AnswerSink): UpstreamCall {
    const { composition } = this.#remix;
    const { 'last-event-id': last, ...headers } = request.headers;
    const resumed = last === undefined ? undefined : openKeyedId(last);
    const sources = composition.sources.map((source) => ({
      source,
      request: {
        ...request,
        headers,
      },
      ...(resumed?.key === source.key && { lastEventId: resumed.id }),
      messages: new SourceMessages(composition, source.key),
      listChanges: listChangesOf(source, () => true),
    }));
    return new MergedStream(sink, links, sources);
  }
}
