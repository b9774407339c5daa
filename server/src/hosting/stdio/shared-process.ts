/**
 * One process for all requests of the revision 2026-07-28, which has no sessions. Callers' ids and progress tokens are
 * exchanged for numbers of this process, so that equal ones cannot meet. What a process sends without saying for which
 * request goes to nobody: it may be meant for another caller. A program that knows only sessions is initialized once and
 * its answers are translated.
 */
import { UpstreamError } from '../../upstream/upstream.ts';
import type { HttpAnswer } from './http-answer.ts';
import { replaceAt, spanOf, textAt, withValue } from './json-span.ts';
import {
  discovered,
  honoured,
  LEGACY_VERSION,
  MODERN_VERSION,
  REMOVED_METHODS,
  translated,
} from './legacy-translation.ts';
import { errorText, METHOD_NOT_FOUND, type Message, modernVersionOf, SUBSCRIPTION_KEY } from './message.ts';
import type { StdioProcess } from './stdio-process.ts';

const MAX_CALLS = 1024;
const UNSUPPORTED_VERSION = -32_022;
const CLIENT = { name: 'signalbox', version: '1' };
const TOKEN_PATHS = { request: ['params', '_meta', 'progressToken'], notification: ['params', 'progressToken'] };
const SUBSCRIPTION_PATHS = [
  ['params', '_meta', SUBSCRIPTION_KEY],
  ['result', '_meta', SUBSCRIPTION_KEY],
] as const;

interface Call {
  readonly method: string;
  readonly idText: string;
  readonly tokenText: string;
  readonly answer: HttpAnswer;
}

interface Listener {
  readonly methods: ReadonlySet<string>;
  readonly idText: string;
  readonly answer: HttpAnswer;
}

export class SharedProcess {
  readonly process: StdioProcess;
  readonly #calls = new Map<string, Call>();
  readonly #listeners = new Set<Listener>();
  readonly #questions = new Map<string, (answer: Message) => void>();
  #lastId = 0;
  /** The answer to `initialize` of a program that knows only sessions. */
  #initialized: Message | undefined;

  private constructor(process: StdioProcess) {
    this.process = process;
    process.listen((message) => this.#receive(message));
    void process.ended.then((reason) => this.#fail(reason));
  }

  /** Finds out which revision the program knows. Throws UpstreamError when it answers nothing in time. */
  static async start(process: StdioProcess, startSeconds: number): Promise<SharedProcess> {
    const shared = new SharedProcess(process);
    const ended = process.ended.then((reason) => {
      throw new UpstreamError('unavailable', `The server did not start: it ${reason}.`);
    });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const error = new UpstreamError(
        'unavailable',
        `The server did not answer within ${startSeconds} s of its start.`,
      );
      timer = setTimeout(() => reject(error), startSeconds * 1000);
    });
    try {
      await Promise.race([shared.#introduce(), ended, late]);
    } finally {
      clearTimeout(timer);
      ended.catch(() => {});
    }
    return shared;
  }

  async #introduce(): Promise<void> {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': MODERN_VERSION,
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': CLIENT,
    };
    const answer = await this.#ask('server/discover', { _meta: meta });
    if (answer.value.result !== undefined) return;
    const initialized = await this.#ask('initialize', {
      protocolVersion: LEGACY_VERSION,
      capabilities: {},
      clientInfo: CLIENT,
    });
    if (initialized.value.result === undefined) {
      throw new UpstreamError('unavailable', 'The server refuses to be initialized.');
    }
    this.#initialized = initialized;
    this.process.send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  }

  #ask(method: string, params: object): Promise<Message> {
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      this.#questions.set(`number ${id}`, resolve);
      this.process.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    });
  }

  request(message: Message, answer: HttpAnswer): void {
    if (this.#initialized && this.#answered(message, answer, this.#initialized)) return;
    if (this.#calls.size >= MAX_CALLS) {
      answer.fail(new UpstreamError('unavailable', 'The server has too many requests under way.', 1));
      return;
    }
    const id = String(++this.#lastId);
    const token = spanOf(message.text, TOKEN_PATHS.request);
    const tokenText = token ? textAt(message.text, token) : '';
    const text = token ? replaceAt(message.text, token, id) : message.text;
    this.#calls.set(`number ${id}`, { method: message.method, idText: message.idText, tokenText, answer });
    if (this.process.send(withValue(text, ['id'], id))) return;
    this.#calls.delete(`number ${id}`);
    answer.fail(new UpstreamError('unavailable', 'The server reads no more requests.', 1));
  }

  /** What the bridge says itself for a program that knows only sessions. */
  #answered(message: Message, answer: HttpAnswer, initialized: Message): boolean {
    const { idText, method } = message;
    const requested = modernVersionOf(message);
    if (requested !== MODERN_VERSION) {
      const data = { supported: [MODERN_VERSION], requested };
      answer.json(400, errorText(idText, UNSUPPORTED_VERSION, 'Unsupported protocol version', data));
    } else if (REMOVED_METHODS.has(method)) {
      answer.json(404, errorText(idText, METHOD_NOT_FOUND, 'Method not found'));
    } else if (method === 'server/discover') {
      answer.json(200, discovered(initialized, idText));
    } else if (method === 'subscriptions/listen') {
      const { filter, methods } = honoured(message, initialized);
      this.#listeners.add({ methods, idText, answer });
      answer.event(subscribed('notifications/subscriptions/acknowledged', { notifications: filter }, idText));
    } else {
      return false;
    }
    return true;
  }

  /** The caller has gone away, which cancels in this revision. */
  forget(answer: HttpAnswer): void {
    for (const listener of this.#listeners) if (listener.answer === answer) this.#listeners.delete(listener);
    for (const [id, call] of this.#calls) {
      if (call.answer !== answer) continue;
      this.#calls.delete(id);
      const requestId = Number(id.slice('number '.length));
      this.process.send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }));
    }
  }

  #receive(message: Message): void {
    if (message.kind === 'request') this.#refuse(message);
    else if (message.kind === 'notification') this.#notified(message);
    else this.#answer(message);
  }

  #answer(message: Message): void {
    const question = this.#questions.get(message.id);
    if (question) {
      this.#questions.delete(message.id);
      question(message);
      return;
    }
    const call = this.#calls.get(message.id);
    if (!call) return;
    this.#calls.delete(message.id);
    const text = restored(message.text, call);
    call.answer.finish(statusOf(message), this.#initialized ? translated(text, call.method) : text);
  }

  /** Only a program that knows sessions asks a client; nobody here has said that it may. */
  #refuse({ idText, method }: Message): void {
    this.process.send(
      method === 'ping'
        ? `{"jsonrpc":"2.0","id":${idText},"result":{}}`
        : errorText(idText, METHOD_NOT_FOUND, 'This client does not answer requests.'),
    );
  }

  #notified(message: Message): void {
    const { params } = message.value;
    const meta = params?.['_meta'] as Record<string, unknown> | undefined;
    const owner = message.method === 'notifications/progress' ? params?.['progressToken'] : meta?.[SUBSCRIPTION_KEY];
    const call = this.#calls.get(`${typeof owner} ${owner}`);
    if (call) {
      const isProgress = message.method === 'notifications/progress';
      const text = isProgress
        ? withValue(message.text, TOKEN_PATHS.notification, call.tokenText)
        : restored(message.text, call);
      call.answer.event(text);
      return;
    }
    for (const { methods, idText, answer } of this.#listeners) {
      if (methods.has(message.method)) answer.event(subscribed(message.method, params ?? {}, idText));
    }
  }

  #fail(reason: string): void {
    for (const { answer } of this.#calls.values()) {
      answer.fail(new UpstreamError('connection', `The server ended before it had answered: it ${reason}.`));
    }
    for (const { answer } of this.#listeners) answer.end();
    this.#calls.clear();
    this.#listeners.clear();
  }
}

/** With the caller's own id, also where a subscription is named by it. */
function restored(text: string, { idText }: Call): string {
  let own = withValue(text, ['id'], idText);
  for (const path of SUBSCRIPTION_PATHS) own = withValue(own, path, idText);
  return own;
}

function subscribed(method: string, params: object, idText: string): string {
  const meta = (params as { _meta?: object })._meta ?? {};
  const message = { jsonrpc: '2.0', method, params: { ...params, _meta: { ...meta, [SUBSCRIPTION_KEY]: 0 } } };
  return withValue(JSON.stringify(message), SUBSCRIPTION_PATHS[0], idText);
}

/** Source: MCP specification 2026-07-28, the status codes of its transport. */
function statusOf({ value }: Message): number {
  const code = value.error?.code;
  if (typeof code !== 'number') return 200;
  if (code === METHOD_NOT_FOUND) return 404;
  return code <= -32_020 && code >= -32_099 ? 400 : 200;
}
