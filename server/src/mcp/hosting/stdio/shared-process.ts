/**
 * One process for all requests of the revision 2026-07-28, which has no sessions. Callers' ids and progress tokens are
 * exchanged for numbers of this process, so that equal ones cannot meet. What a process sends without saying for which
 * request goes to nobody: it may be meant for another caller.
 */

import { replaceAt, spanOf, textAt, withValue } from '../../protocol/json-span.ts';
import { UpstreamError } from '../../upstream/upstream.ts';
import type { HttpAnswer } from './http-answer.ts';
import { errorText, keyOfId, METHOD_NOT_FOUND, type Message, metaOf, SUBSCRIPTION_KEY } from './message.ts';
import type { StdioProcess } from './stdio-process.ts';

const MAX_CALLS = 1024;
const MODERN_VERSION = '2026-07-28';
const TOKEN_PATHS = { request: ['params', '_meta', 'progressToken'], notification: ['params', 'progressToken'] };
const SUBSCRIPTION_PATHS = [
  ['params', '_meta', SUBSCRIPTION_KEY],
  ['result', '_meta', SUBSCRIPTION_KEY],
] as const;
const DISCOVER = JSON.stringify({
  jsonrpc: '2.0',
  id: 0,
  method: 'server/discover',
  params: {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': MODERN_VERSION,
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'signalbox', version: '1' },
    },
  },
});

/**
 * Asks a process that has just been started whether it knows the revision. False also for one that ends or says nothing:
 * programs that wait for `initialize` do either.
 */
export async function knowsRequestsWithoutSession(process: StdioProcess, seconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), seconds * 1000);
  });
  const answered = new Promise<boolean>((resolve) => {
    process.listen(({ kind, value }) => {
      if (kind === 'response') resolve(value.result !== undefined);
    });
  });
  process.send(DISCOVER);
  const outcome = await Promise.race([answered, process.ended.then(() => false), late]);
  clearTimeout(timer);
  return outcome;
}

interface Call {
  readonly idText: string;
  readonly tokenText: string;
  readonly answer: HttpAnswer;
}

export class SharedProcess {
  readonly #process: StdioProcess;
  readonly #calls = new Map<string, Call>();
  #lastId = 0;

  constructor(process: StdioProcess) {
    this.#process = process;
    process.listen((message) => this.#receive(message));
    void process.ended.then((reason) => this.#fail(reason));
  }

  request(message: Message, answer: HttpAnswer): void {
    if (this.#calls.size >= MAX_CALLS) {
      answer.fail(new UpstreamError('unavailable', 'The server has too many requests under way.', 1));
      return;
    }
    const id = String(++this.#lastId);
    const token = spanOf(message.text, TOKEN_PATHS.request);
    const tokenText = token ? textAt(message.text, token) : '';
    const text = token ? replaceAt(message.text, token, id) : message.text;
    this.#calls.set(`number ${id}`, { idText: message.idText, tokenText, answer });
    if (this.#process.send(withValue(text, ['id'], id))) return;
    this.#calls.delete(`number ${id}`);
    answer.fail(new UpstreamError('unavailable', 'The server reads no more requests.', 1));
  }

  /** The caller has gone away, which cancels in this revision. */
  forget(answer: HttpAnswer): void {
    for (const [id, call] of this.#calls) {
      if (call.answer !== answer) continue;
      this.#calls.delete(id);
      const requestId = Number(id.slice('number '.length));
      this.#process.send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }));
    }
  }

  #receive(message: Message): void {
    if (message.kind === 'response') this.#answer(message);
    else if (message.kind === 'notification') this.#notified(message);
    // The revision has no requests to clients; whoever sends one anyway must not wait for ever.
    else this.#process.send(errorText(message.idText, METHOD_NOT_FOUND, 'This client does not answer requests.'));
  }

  #answer(message: Message): void {
    const call = this.#calls.get(message.id);
    if (!call) return;
    this.#calls.delete(message.id);
    call.answer.finish(statusOf(message), restored(message.text, call));
  }

  #notified(message: Message): void {
    const isProgress = message.method === 'notifications/progress';
    const owner = isProgress ? message.value.params?.['progressToken'] : metaOf(message.value)?.[SUBSCRIPTION_KEY];
    const call = this.#calls.get(keyOfId(owner));
    if (!call) return;
    const text = isProgress
      ? withValue(message.text, TOKEN_PATHS.notification, call.tokenText)
      : restored(message.text, call);
    call.answer.event(text);
  }

  #fail(reason: string): void {
    for (const { answer } of this.#calls.values()) {
      answer.fail(new UpstreamError('connection', `The server ended before it had answered: it ${reason}.`));
    }
    this.#calls.clear();
  }
}

/** With the caller's own id, also where a subscription is named by it. */
function restored(text: string, { idText }: Call): string {
  let own = withValue(text, ['id'], idText);
  for (const path of SUBSCRIPTION_PATHS) own = withValue(own, path, idText);
  return own;
}

/** Source: MCP specification 2026-07-28, the status codes of its transport. */
function statusOf({ value }: Message): number {
  const code = value.error?.code;
  if (typeof code !== 'number') return 200;
  if (code === METHOD_NOT_FOUND) return 404;
  return code <= -32_020 && code >= -32_099 ? 400 : 200;
}
