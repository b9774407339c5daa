/**
 * Lets clients that know sessions use a server of the stateless revision. The session is kept here: its id says what the
 * client can do, and what is under way in it is in this process. A result that asks the client for input becomes requests
 * to it, and its answers travel upstream with the next try. Source: MCP contract, sections 2 and 3.
 */
import { newId } from '../../id.ts';
import type { AnswerSink, Upstream, UpstreamCall, UpstreamRequest } from '../../upstream/upstream.ts';
import { UpstreamError } from '../../upstream/upstream.ts';
import {
  CLIENT_CAPABILITIES_KEY,
  CLIENT_INFO_KEY,
  LEGACY_VERSION,
  MODERN_VERSION,
  PROTOCOL_VERSION_KEY,
  SERVER_INFO_KEY,
} from '../era.ts';
import { INVALID_PARAMS } from '../message.ts';
import { Conversation, isRequest, type JsonMessage, messageIn, objectOr } from './conversation.ts';

/** What the id of a session holds. */
interface State {
  readonly id: string;
  readonly capabilities: JsonMessage;
  readonly client: JsonMessage;
}

/** What is under way in one session. */
interface Activity {
  /** Questions to the client that wait for its answer, by their id. */
  readonly questions: Map<string, (answer: JsonMessage) => void>;
  readonly requests: Map<unknown, Conversation>;
  readonly subscriptions: Set<string>;
  logLevel: unknown;
  stream: Conversation | undefined;
  lastUsed: number;
}

/** Revisions with sessions, oldest first. */
const LEGACY_VERSIONS = ['2025-03-26', '2025-06-18', LEGACY_VERSION];
/** A result may ask for input this often before the request is given up. */
const MAX_ROUNDS = 20;
const IDLE_MILLISECONDS = 24 * 3600 * 1000;
const MAX_SESSIONS = 10_000;
const NAME_OF: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};
const LOG_LEVEL_KEY = 'io.modelcontextprotocol/logLevel';

export class LegacyOverModern implements Upstream {
  readonly #upstream: Upstream;
  readonly #activities = new Map<string, Activity>();

  constructor(upstream: Upstream) {
    this.#upstream = upstream;
  }

  send(request: UpstreamRequest, sink: AnswerSink): UpstreamCall {
    const conversation = new Conversation(sink);
    const message = messageIn(request);
    const state = stateOf(request.headers['mcp-session-id']);
    if (request.method === 'POST' && message['method'] === 'initialize') this.#initialize(conversation, message);
    else if (!state) conversation.finish(refusal(message, -32600, 'A session is needed: initialize comes first.'), 400);
    else if (request.method === 'GET') this.#stream(conversation, state);
    else if (request.method === 'DELETE') this.#end(conversation, state);
    else this.#take(conversation, state, message);
    return conversation;
  }

  #initialize(conversation: Conversation, message: JsonMessage): void {
    const { clientInfo, capabilities, protocolVersion } = objectOr(message['params']);
    const state: State = { id: newId(), capabilities: objectOr(capabilities), client: objectOr(clientInfo) };
    const version = LEGACY_VERSIONS.find((known) => known === protocolVersion) ?? LEGACY_VERSION;
    conversation.ask(
      this.#upstream,
      modernRequest(state, { jsonrpc: '2.0', id: message['id'], method: 'server/discover' }),
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
          conversation.finish({ jsonrpc: '2.0', id: message['id'], result }, 200, { 'mcp-session-id': idOf(state) });
        },
        end: () => conversation.fail(new UpstreamError('answer', 'The server did not answer.')),
      },
    );
  }

  #take(conversation: Conversation, state: State, message: JsonMessage): void {
    const activity = this.#activityOf(state);
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
        this.#listenAnew(activity, state);
        done();
        break;
      }
      default:
        activity.requests.set(id, conversation);
        conversation.whenOver(() => {
          if (activity.requests.get(id) === conversation) activity.requests.delete(id);
        });
        this.#forward(conversation, state, activity, message, {}, 0);
    }
  }

  #forward(
    conversation: Conversation,
    state: State,
    activity: Activity,
    message: JsonMessage,
    more: JsonMessage,
    round: number,
  ): void {
    const { id } = message;
    let answered = false;
    const sent = { ...message, params: { ...objectOr(message['params']), ...more } };
    conversation.ask(this.#upstream, modernRequest(state, sent, activity.logLevel), {
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
          conversation.finish(refusal(message, -32603, 'The server asks for input without end.'));
          return;
        }
        this.#askClient(conversation, state, activity, objectOr(result['inputRequests'])).then(
          (inputResponses) => {
            const { requestState } = result;
            const next = { inputResponses, ...(requestState === undefined ? {} : { requestState }) };
            this.#forward(conversation, state, activity, message, next, round + 1);
          },
          (reason: Error) => conversation.finish(refusal(message, -32603, reason.message)),
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
    { capabilities }: State,
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

  #stream(conversation: Conversation, state: State): void {
    const activity = this.#activityOf(state);
    conversation.openStream();
    activity.stream = conversation;
    conversation.whenOver(() => {
      if (activity.stream === conversation) activity.stream = undefined;
    });
    this.#listen(conversation, state, activity);
  }

  #listen(conversation: Conversation, state: State, activity: Activity): void {
    const notifications = {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: [...activity.subscriptions],
    };
    const message = { jsonrpc: '2.0', id: newId(), method: 'subscriptions/listen', params: { notifications } };
    let acknowledged = false;
    conversation.ask(this.#upstream, modernRequest(state, message), {
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
  #listenAnew(activity: Activity, state: State): void {
    const { stream } = activity;
    if (!stream || stream.over) return;
    stream.restart();
    this.#listen(stream, state, activity);
  }

  #end(conversation: Conversation, state: State): void {
    const activity = this.#activities.get(state.id);
    activity?.stream?.finish(undefined);
    this.#activities.delete(state.id);
    conversation.finish(undefined, 200);
  }

  #activityOf({ id }: State): Activity {
    const now = performance.now();
    let activity = this.#activities.get(id);
    if (!activity) {
      for (const [old, { lastUsed }] of this.#activities) {
        if (this.#activities.size < MAX_SESSIONS && now - lastUsed < IDLE_MILLISECONDS) break;
        this.#activities.delete(old);
      }
      activity = {
        questions: new Map(),
        requests: new Map(),
        subscriptions: new Set(),
        logLevel: undefined,
        stream: undefined,
        lastUsed: now,
      };
    }
    // The one that was used last stands last.
    this.#activities.delete(id);
    this.#activities.set(id, activity);
    activity.lastUsed = now;
    return activity;
  }
}

function modernRequest({ capabilities, client }: State, message: JsonMessage, logLevel?: unknown): UpstreamRequest {
  const params = objectOr(message['params']);
  const _meta = {
    ...objectOr(params['_meta']),
    [PROTOCOL_VERSION_KEY]: MODERN_VERSION,
    [CLIENT_INFO_KEY]: client,
    [CLIENT_CAPABILITIES_KEY]: capabilities,
    ...(logLevel === undefined ? {} : { [LOG_LEVEL_KEY]: logLevel }),
  };
  const method = String(message['method']);
  const key = NAME_OF[method];
  const name = key === undefined ? undefined : params[key];
  return {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': MODERN_VERSION,
      'mcp-method': method,
      ...(typeof name === 'string' ? { 'mcp-name': headerValue(name) } : {}),
    },
    body: Buffer.from(JSON.stringify({ ...message, params: { ...params, _meta } })),
  };
}

/** What is not safe in a header travels encoded. Source: MCP contract, section 3. */
function headerValue(text: string): string {
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?')) return text;
  return `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

function legacyAnswer(answer: JsonMessage, id: unknown): JsonMessage {
  if (!('result' in answer)) return { ...answer, id };
  const { resultType: _type, ttlMs: _ttl, cacheScope: _scope, ...result } = objectOr(answer['result']);
  return { ...answer, id, result };
}

function refusal(message: JsonMessage, code: number, text: string): JsonMessage {
  return { jsonrpc: '2.0', id: message['id'] ?? null, error: { code, message: text } };
}

function idOf(state: State): string {
  return Buffer.from(JSON.stringify(state)).toString('base64url');
}

function stateOf(id: string | undefined): State | undefined {
  if (id === undefined) return undefined;
  try {
    const state = JSON.parse(Buffer.from(id, 'base64url').toString('utf8')) as State;
    return typeof state.id === 'string' ? state : undefined;
  } catch {
    return undefined;
  }
}
