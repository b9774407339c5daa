/**
 * Lets clients that know sessions use a server of the stateless revision. The session is kept here: its id says what the
 * client can do, and what is under way in it is in this process. A result that asks the client for input becomes requests
 * to it, and its answers travel upstream with the next try.
 * Source: modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr.
 */
import { newId } from '../../id.ts';
import { INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST } from '../protocol/codes.ts';
import { LEGACY_VERSION } from '../protocol/era.ts';
import { errorResponse } from '../protocol/message.ts';
import { SERVER_INFO_KEY } from '../protocol/meta.ts';
import {
  type AnswerSink,
  type Upstream,
  type UpstreamCall,
  UpstreamError,
  type UpstreamRequest,
} from '../upstream/upstream.ts';
import { Activities, type Activity, type ClientSession, idOf, sessionOf } from './client-session.ts';
import { Conversation, isRequest, type JsonMessage, messageIn, objectOr } from './conversation.ts';
import { legacyAnswer, modernRequest } from './modern-message.ts';

/** Revisions with sessions, oldest first. */
const LEGACY_VERSIONS = ['2025-03-26', '2025-06-18', LEGACY_VERSION];
/** A result may ask for input this often before the request is given up. */
const MAX_ROUNDS = 20;
export class LegacyOverModern implements Upstream {
  readonly #upstream: Upstream;
  readonly #activities = new Activities();

  constructor(upstream: Upstream) {
    this.#upstream = upstream;
  }

  send(request: UpstreamRequest, sink: AnswerSink): UpstreamCall {
    const conversation = new Conversation(sink);
    const message = messageIn(request);
    const session = sessionOf(request.headers['mcp-session-id']);
    if (request.method === 'POST' && message['method'] === 'initialize') this.#initialize(conversation, message);
    else if (!session)
      conversation.finish(refusal(message, INVALID_REQUEST, 'A session is needed: initialize comes first.'), 400);
    else if (request.method === 'GET') this.#stream(conversation, session);
    else if (request.method === 'DELETE') {
      this.#activities.end(session);
      conversation.finish(undefined, 200);
    } else this.#take(conversation, session, message);
    return conversation;
  }

  #initialize(conversation: Conversation, message: JsonMessage): void {
    const { clientInfo, capabilities, protocolVersion } = objectOr(message['params']);
    const session: ClientSession = { id: newId(), capabilities: objectOr(capabilities), client: objectOr(clientInfo) };
    const version = LEGACY_VERSIONS.find((known) => known === protocolVersion) ?? LEGACY_VERSION;
    conversation.ask(
      this.#upstream,
      modernRequest(session, { jsonrpc: '2.0', id: message['id'], method: 'server/discover' }),
      {
        message: (answer) => {
          if (!('result' in answer)) {
            conversation.finish({ ...answer, id: message['id'] });
            return;
          }
          const { capabilities: offered, instructions, _meta } = objectOr(answer['result']);
          const result = {
            protocolVersion: version,
            capabilities: objectOr(offered),
            serverInfo: objectOr(_meta)[SERVER_INFO_KEY] ?? { name: 'server', version: '' },
            ...(instructions === undefined ? {} : { instructions }),
          };
          conversation.finish({ jsonrpc: '2.0', id: message['id'], result }, 200, { 'mcp-session-id': idOf(session) });
        },
        end: () => conversation.fail(new UpstreamError('answer', 'The server did not answer.')),
      },
    );
  }

  #take(conversation: Conversation, session: ClientSession, message: JsonMessage): void {
    const activity = this.#activities.of(session);
    const { id, method } = message;
    const params = objectOr(message['params']);
    if (!isRequest(message)) {
      if (method === 'notifications/cancelled') activity.requests.get(params['requestId'])?.cancel();
      if (method === undefined) activity.questions.get(String(id))?.(message);
      conversation.finish(undefined, 202);
      return;
    }
    const done = () => conversation.finish({ jsonrpc: '2.0', id, result: {} });
    switch (method) {
      case 'ping':
        done();
        break;
      case 'logging/setLevel':
        activity.logLevel = params['level'];
        done();
        break;
      case 'resources/subscribe':
      case 'resources/unsubscribe': {
        const { uri } = params;
        if (typeof uri !== 'string') {
          conversation.finish(refusal(message, INVALID_PARAMS, 'A resource is named by its uri.'));
          break;
        }
        if (method === 'resources/subscribe') activity.subscriptions.add(uri);
        else activity.subscriptions.delete(uri);
        this.#listenAnew(activity, session);
        done();
        break;
      }
      default:
        activity.requests.set(id, conversation);
        conversation.whenOver(() => {
          if (activity.requests.get(id) === conversation) activity.requests.delete(id);
        });
        this.#forward(conversation, session, activity, message, {}, 0);
    }
  }

  #forward(
    conversation: Conversation,
    session: ClientSession,
    activity: Activity,
    message: JsonMessage,
    more: JsonMessage,
    round: number,
  ): void {
    const { id } = message;
    let answered = false;
    const sent = { ...message, params: { ...objectOr(message['params']), ...more } };
    conversation.ask(this.#upstream, modernRequest(session, sent, activity.logLevel), {
      message: (answer) => {
        if ('method' in answer) {
          conversation.event(answer);
          return;
        }
        answered = true;
        const result = objectOr(answer['result']);
        if (result['resultType'] !== 'input_required') {
          conversation.finish(legacyAnswer(answer, id));
          return;
        }
        if (round === MAX_ROUNDS) {
          conversation.finish(refusal(message, INTERNAL_ERROR, 'The server asks for input without end.'));
          return;
        }
        this.#askClient(conversation, session, activity, objectOr(result['inputRequests'])).then(
          (inputResponses) => {
            const { requestState } = result;
            const next = { inputResponses, ...(requestState === undefined ? {} : { requestState }) };
            this.#forward(conversation, session, activity, message, next, round + 1);
          },
          (reason: Error) => conversation.finish(refusal(message, INTERNAL_ERROR, reason.message)),
        );
      },
      end: () => {
        if (answered) return;
        conversation.fail(new UpstreamError('answer', 'The server did not answer.'));
      },
    });
  }

  /** Puts the server's questions to the client, on the stream of its request, and collects the answers. */
  async #askClient(
    conversation: Conversation,
    { capabilities }: ClientSession,
    activity: Activity,
    questions: JsonMessage,
  ): Promise<JsonMessage> {
    const answers = Object.entries(questions).map(async ([key, question]): Promise<[string, unknown]> => {
      const { method, params } = objectOr(question);
      const [needed = ''] = String(method).split('/');
      if (capabilities[needed] === undefined)
        throw new Error(`The server asks for ${needed}, which the client has not.`);
      const id = `signalbox-${newId()}`;
      const answer = new Promise<JsonMessage>((resolve) => activity.questions.set(id, resolve));
      conversation.whenOver(() => activity.questions.delete(id));
      conversation.event({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) });
      const { result, error } = await answer.finally(() => activity.questions.delete(id));
      if (error !== undefined) throw new Error(`The client refused: ${String(objectOr(error)['message'] ?? '')}`);
      return [key, result];
    });
    return Object.fromEntries(await Promise.all(answers));
  }

  #stream(conversation: Conversation, session: ClientSession): void {
    const activity = this.#activities.of(session);
    conversation.openStream();
    activity.stream = conversation;
    conversation.whenOver(() => {
      if (activity.stream === conversation) activity.stream = undefined;
    });
    this.#listen(conversation, session, activity);
  }

  #listen(conversation: Conversation, session: ClientSession, activity: Activity): void {
    const notifications = {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: [...activity.subscriptions],
    };
    const message = { jsonrpc: '2.0', id: newId(), method: 'subscriptions/listen', params: { notifications } };
    let acknowledged = false;
    conversation.ask(this.#upstream, modernRequest(session, message), {
      message: (notice) => {
        if (!('method' in notice)) return;
        if (notice['method'] === 'notifications/subscriptions/acknowledged') acknowledged = true;
        else conversation.event(notice);
      },
      // The client opens another stream. One that it could not have would be asked for without end: it stays, silent.
      end: () => {
        if (acknowledged) conversation.finish(undefined);
      },
    });
  }

  /** What is subscribed to has changed: the stream goes on with another request upstream. */
  #listenAnew(activity: Activity, session: ClientSession): void {
    const { stream } = activity;
    if (!stream || stream.over) return;
    stream.restart();
    this.#listen(stream, session, activity);
  }
}

function refusal(message: JsonMessage, code: number, text: string): JsonMessage {
  return errorResponse(message['id'] ?? null, code, text);
}
