/**
 * Lets clients with sessions use a server of the stateless revision. The gateway keeps the session: its id contains the
 * client's capabilities, and its open requests are in this process. A result that requests input becomes requests to
 * the client, whose answers are sent upstream with the next attempt. Source:
 * modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr.
 */
import { newId, newTimeOrderedId } from '../../values/id.ts';
import { INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST } from '../protocol/codes.ts';
import { agreedVersion } from '../protocol/era.ts';
import { isLogLevel, NO_LOG_LEVEL } from '../protocol/log-level.ts';
import { errorResponse, type JsonObject } from '../protocol/message.ts';
import { SERVER_INFO_KEY } from '../protocol/meta.ts';
import { asksForPage, ELICITATION_COMPLETE, supportsPages } from '../protocol/url-elicitation.ts';
import {
  type AnswerSink,
  type Upstream,
  type UpstreamCall,
  UpstreamError,
  type UpstreamRequest,
} from '../upstream/upstream.ts';
import {
  type Activity,
  type ClientSession,
  type ClientStream,
  idOf,
  sessionOf,
  type TranslatedSessions,
} from './client-session.ts';
import { Conversation, isRequest, messageIn, objectOr } from './conversation.ts';
import { legacyAnswer, modernRequest } from './modern-message.ts';

/** Number of times that a result may request input before the request is aborted. */
const MAX_ROUNDS = 20;

export class LegacyOverModern implements Upstream {
  readonly #upstream: Upstream;
  readonly #sessions: TranslatedSessions;

  constructor(upstream: Upstream, sessions: TranslatedSessions) {
    this.#upstream = upstream;
    this.#sessions = sessions;
  }

  send(request: UpstreamRequest, sink: AnswerSink): UpstreamCall {
    const call = new LegacyCall(sink, this.#upstream, this.#sessions);
    call.begin(request);
    return call;
  }
}

/** A request of a client in its session. */
interface SessionRequest {
  readonly session: ClientSession;
  readonly activity: Activity;
  readonly message: JsonObject;
}

/** The state of a call. */
type Phase =
  /** The call is not part of the session. */
  | { readonly name: 'apart' }
  | { readonly name: 'answer'; readonly request: SessionRequest }
  /** Waits for the client's answers to the server's questions; contains the ids of the questions. */
  | { readonly name: 'input'; readonly request: SessionRequest; readonly questions: readonly string[] }
  | { readonly name: 'stream'; readonly session: ClientSession; readonly activity: Activity };

/**
 * One request of a client.
 *
 *     apart ──> answer ──(input_required)──> input ──(all answered)──> answer
 *       └─────> stream ──(other subscriptions)──> stream
 */
class LegacyCall extends Conversation implements ClientStream {
  readonly #upstream: Upstream;
  readonly #sessions: TranslatedSessions;
  #phase: Phase = { name: 'apart' };

  constructor(sink: AnswerSink, upstream: Upstream, sessions: TranslatedSessions) {
    super(sink);
    this.#upstream = upstream;
    this.#sessions = sessions;
  }

  begin(request: UpstreamRequest): void {
    const message = messageIn(request);
    const session = sessionOf(request.headers['mcp-session-id']);
    if (request.method === 'POST' && message['method'] === 'initialize') this.#initialize(message);
    else if (!session)
      this.finish(refusal(message, INVALID_REQUEST, 'A session is required. Send initialize first.'), 400);
    else if (request.method === 'GET') this.#stream(session);
    else if (request.method === 'DELETE') {
      this.#sessions.end(session);
      this.finish(undefined, 200);
    } else this.#take({ session, activity: this.#sessions.activityOf(session), message });
  }

  protected override settled(): void {
    const phase = this.#phase;
    switch (phase.name) {
      case 'apart':
        break;
      case 'stream':
        if (phase.activity.stream === this) phase.activity.stream = undefined;
        break;
      default: {
        const { activity, message } = phase.request;
        if (activity.requests.get(message['id']) === this) activity.requests.delete(message['id']);
        if (phase.name === 'input') for (const id of phase.questions) activity.questions.delete(id);
      }
    }
  }

  #initialize(message: JsonObject): void {
    const { clientInfo, capabilities, protocolVersion } = objectOr(message['params']);
    const client = objectOr(clientInfo);
    const session: ClientSession = { id: newTimeOrderedId(), capabilities: objectOr(capabilities), client };
    const version = agreedVersion(protocolVersion);
    const { id } = message;
    this.ask(this.#upstream, modernRequest(session, { jsonrpc: '2.0', id, method: 'server/discover' }), {
      message: (answer) => {
        if ('method' in answer) return;
        if (!('result' in answer)) {
          this.finish({ ...answer, id });
          return;
        }
        const { capabilities: offered, instructions, _meta } = objectOr(answer['result']);
        const result = {
          protocolVersion: version,
          capabilities: objectOr(offered),
          serverInfo: objectOr(_meta)[SERVER_INFO_KEY] ?? { name: 'server', version: '' },
          ...(instructions === undefined ? {} : { instructions }),
        };
        this.finish({ jsonrpc: '2.0', id, result }, 200, { 'mcp-session-id': idOf(session) });
      },
      end: () => this.fail(new UpstreamError('answer', 'The server did not answer.')),
    });
  }

  #take(request: SessionRequest): void {
    const { activity, message } = request;
    const { id, method } = message;
    const params = objectOr(message['params']);
    if (!isRequest(message)) {
      if (method === 'notifications/cancelled') activity.requests.get(params['requestId'])?.cancel();
      if (method === undefined) activity.questions.get(String(id))?.(message);
      this.finish(undefined, 202);
      return;
    }
    switch (method) {
      case 'ping':
        this.#done(id);
        break;
      case 'logging/setLevel':
        if (!isLogLevel(params['level'])) {
          this.finish(refusal(message, INVALID_PARAMS, NO_LOG_LEVEL));
          break;
        }
        activity.logLevel = params['level'];
        this.#done(id);
        break;
      case 'resources/subscribe':
      case 'resources/unsubscribe': {
        const { uri } = params;
        if (typeof uri !== 'string') {
          this.finish(refusal(message, INVALID_PARAMS, 'A resource must have a uri.'));
          break;
        }
        if (method === 'resources/unsubscribe') this.#sessions.unsubscribe(request.session, activity, uri);
        else if (!this.#sessions.subscribe(request.session, activity, uri)) {
          this.finish(
            refusal(message, INVALID_PARAMS, 'The URI is too long, or the session has too many subscriptions.'),
          );
          break;
        }
        activity.stream?.listenAnew();
        this.#done(id);
        break;
      }
      default:
        activity.requests.set(id, this);
        this.#forward(request, {}, 0);
    }
  }

  #done(id: unknown): void {
    this.finish({ jsonrpc: '2.0', id, result: {} });
  }

  /**
   * `more` are the parameters that a later round adds, `pages` the ids of the pages that the person has agreed to open.
   */
  #forward(request: SessionRequest, more: JsonObject, round: number, pages: readonly string[] = []): void {
    if (this.over) return;
    const { session, activity, message } = request;
    const phase: Phase = { name: 'answer', request };
    this.#phase = phase;
    const sent = { ...message, params: { ...objectOr(message['params']), ...more } };
    this.ask(this.#upstream, modernRequest(session, sent, activity.logLevel), {
      message: (answer) => {
        if ('method' in answer) {
          this.event(answer);
          return;
        }
        const result = objectOr(answer['result']);
        if (result['resultType'] !== 'input_required') {
          for (const elicitationId of pages) {
            this.event({ jsonrpc: '2.0', method: ELICITATION_COMPLETE, params: { elicitationId } });
          }
          this.finish(legacyAnswer(answer, message['id']));
        } else if (round === MAX_ROUNDS) {
          this.finish(refusal(message, INTERNAL_ERROR, 'The server keeps asking for input.'));
        } else this.#askClient(request, result, round);
      },
      end: () => {
        if (this.#phase === phase) this.fail(new UpstreamError('answer', 'The server did not answer.'));
      },
    });
  }

  /**
   * Sends the server's questions to the client, on the stream of its request, and their answers with the next attempt.
   */
  #askClient(request: SessionRequest, { inputRequests, requestState }: JsonObject, round: number): void {
    const questions = Object.entries(objectOr(inputRequests)).map(([key, question]) => {
      const { method, params } = objectOr(question);
      const id = `signalbox-${newId()}`;
      // A client with a session identifies each page by an id.
      const page = asksForPage(method, params) ? { elicitationId: id, ...params } : undefined;
      return { key, method, params: page ?? params, id, page: page?.elicitationId };
    });
    this.#phase = { name: 'input', request, questions: questions.map(({ id }) => id) };
    const { session, activity, message } = request;
    const pages: string[] = [];
    const answers = questions.map(async ({ key, id, method, params, page }): Promise<[string, unknown]> => {
      const [needed = ''] = String(method).split('/');
      if (page !== undefined && !supportsPages(session.capabilities)) {
        throw new Error('The server asks to open a page, which the client does not support.');
      }
      if (session.capabilities[needed] === undefined) {
        throw new Error(`The server asks for ${needed}, which the client does not support.`);
      }
      const answer = new Promise<JsonObject>((resolve) => activity.questions.set(id, resolve));
      this.event({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) });
      if (this.over) activity.questions.delete(id);
      const { result, error } = await answer.finally(() => activity.questions.delete(id));
      if (error !== undefined) throw new Error(`The client refused: ${String(objectOr(error)['message'] ?? '')}`);
      if (page !== undefined && objectOr(result)['action'] === 'accept') pages.push(String(page));
      return [key, result];
    });
    Promise.all(answers).then(
      (entries) => {
        const inputResponses = Object.fromEntries(entries);
        const more = { inputResponses, ...(requestState === undefined ? {} : { requestState }) };
        this.#forward(request, more, round + 1, pages);
      },
      (reason: Error) => this.finish(refusal(message, INTERNAL_ERROR, reason.message)),
    );
  }

  #stream(session: ClientSession): void {
    const activity = this.#sessions.activityOf(session);
    this.openStream();
    activity.stream = this;
    this.#phase = { name: 'stream', session, activity };
    this.#listen(session, activity);
  }

  listenAnew(): void {
    if (this.over || this.#phase.name !== 'stream') return;
    this.stopAsking();
    this.#listen(this.#phase.session, this.#phase.activity);
  }

  #listen(session: ClientSession, activity: Activity): void {
    const notifications = {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: [...activity.subscriptions],
    };
    const message = { jsonrpc: '2.0', id: newId(), method: 'subscriptions/listen', params: { notifications } };
    let acknowledged = false;
    this.ask(this.#upstream, modernRequest(session, message), {
      message: (notice) => {
        if (!('method' in notice)) return;
        if (notice['method'] === 'notifications/subscriptions/acknowledged') acknowledged = true;
        else this.event(notice);
      },
      // The client opens another stream. Without an acknowledgement this one stays open and silent, because the client
      // would otherwise open others without end.
      end: () => {
        if (acknowledged) this.finish(undefined);
      },
    });
  }
}

function refusal(message: JsonObject, code: number, text: string): JsonObject {
  return errorResponse(message['id'] ?? null, code, text);
}
