/**
 * One process for all requests of the revision 2026-07-28, which has no sessions. Callers' ids and progress tokens are
 * replaced by numbers of this process, so that equal ones cannot collide.
 *
 * A notification without a request may be meant for another caller. That a list has changed reveals nothing about a
 * caller, so every open request gets it. A log message goes to the latest request that subscribed to the log, while the
 * process has worked for one actor only; otherwise it is dropped.
 */

import { isProtocolCode, METHOD_NOT_FOUND } from '../../../protocol/codes.ts';
import { MODERN_VERSION } from '../../../protocol/era.ts';
import { withValue } from '../../../protocol/json-span.ts';
import type { Notification } from '../../../protocol/message.ts';
import {
  CLIENT_CAPABILITIES_KEY,
  CLIENT_INFO_KEY,
  LOG_LEVEL_KEY,
  metaOf,
  PROTOCOL_VERSION_KEY,
  SUBSCRIPTION_ID_KEY,
} from '../../../protocol/meta.ts';
import { UpstreamError } from '../../../upstream/upstream.ts';
import { withNumber, withOwnToken } from './exchanged-ids.ts';
import type { HttpAnswer } from './http-answer.ts';
import { errorText, keyOfId, type StdioMessage } from './stdio-message.ts';
import type { StdioProcess } from './stdio-process.ts';

const MAX_CALLS = 1024;
/** Time after the end of an actor's last request in which a log message may still concern that actor. */
const LATE_LOG_MILLISECONDS = 60_000;
const LIST_CHANGED = /^notifications\/(tools|prompts|resources)\/list_changed$/;
const SUBSCRIPTION_PATHS = [
  ['params', '_meta', SUBSCRIPTION_ID_KEY],
  ['result', '_meta', SUBSCRIPTION_ID_KEY],
] as const;
const DISCOVER = JSON.stringify({
  jsonrpc: '2.0',
  id: 0,
  method: 'server/discover',
  params: {
    _meta: {
      [PROTOCOL_VERSION_KEY]: MODERN_VERSION,
      [CLIENT_CAPABILITIES_KEY]: {},
      [CLIENT_INFO_KEY]: { name: 'signalbox', version: '1' },
    },
  },
});

/**
 * Asks a process that has just been started whether it supports the revision. Also false for one that ends or stays
 * silent: programs that wait for `initialize` do either.
 */
export async function knowsRequestsWithoutSession(process: StdioProcess, seconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), seconds * 1000);
  });
  const answered = new Promise<boolean>((resolve) => {
    process.listen(({ message, value }) => {
      if (message.kind === 'response') resolve(value.result !== undefined);
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
  /** Undefined for a caller without an identity. */
  readonly actor: string | undefined;
  readonly asksForLog: boolean;
}

export class SharedProcess {
  readonly #process: StdioProcess;
  readonly #callers = new RecentCallers();
  readonly #calls = new Map<string, Call>();
  #lastId = 0;

  constructor(process: StdioProcess) {
    this.#process = process;
    process.listen((message) => this.#receive(message));
    process.whenEnded((reason) => this.#fail(reason));
  }

  request(message: StdioMessage, answer: HttpAnswer, actor: string | undefined): void {
    if (this.#calls.size >= MAX_CALLS) {
      answer.fail(new UpstreamError('unavailable', 'The server has too many active requests.', 1));
      return;
    }
    const id = String(++this.#lastId);
    const { text, tokenText } = withNumber(message.text, id);
    const asksForLog = metaOf(message.message)?.[LOG_LEVEL_KEY] !== undefined;
    this.#calls.set(`number ${id}`, { idText: message.idText, tokenText, answer, actor, asksForLog });
    this.#callers.note(actor);
    if (this.#process.send(text)) return;
    this.#calls.delete(`number ${id}`);
    answer.fail(new UpstreamError('unavailable', 'The server reads no more requests.', 1));
  }

  /** The caller has gone, which means a cancellation in this revision. */
  forget(answer: HttpAnswer): void {
    for (const [id, call] of this.#calls) {
      if (call.answer !== answer) continue;
      this.#end(id, call);
      const requestId = Number(id.slice('number '.length));
      this.#process.send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }));
    }
  }

  #receive(received: StdioMessage): void {
    const { message, text, idText } = received;
    if (message.kind === 'response') this.#answer(received);
    else if (message.kind === 'notification') this.#notified(message, text);
    // The revision has no requests to clients; a program that sends one anyway must not wait forever.
    else this.#process.send(errorText(idText, METHOD_NOT_FOUND, 'This client does not answer requests.'));
  }

  #answer(message: StdioMessage): void {
    const call = this.#calls.get(message.key);
    if (!call) return;
    this.#end(message.key, call);
    call.answer.finish(statusOf(message), restored(message.text, call));
  }

  #end(id: string, { actor }: Call): void {
    this.#calls.delete(id);
    this.#callers.note(actor);
  }

  #notified(message: Notification, text: string): void {
    if (LIST_CHANGED.test(message.method) && metaOf(message)?.[SUBSCRIPTION_ID_KEY] === undefined) {
      for (const { answer } of this.#calls.values()) answer.event(text);
      return;
    }
    if (message.method === 'notifications/message') {
      this.#logged(text);
      return;
    }
    const isProgress = message.method === 'notifications/progress';
    const owner = isProgress ? message.params['progressToken'] : metaOf(message)?.[SUBSCRIPTION_ID_KEY];
    const call = this.#calls.get(keyOfId(owner));
    if (!call) return;
    call.answer.event(isProgress ? withOwnToken(text, call) : restored(text, call));
  }

  #logged(text: string): void {
    const calls = [...this.#calls.values()];
    const isOfOne = this.#callers.isOne() && calls.every(({ actor }) => actor === calls[0]?.actor);
    if (isOfOne) calls.findLast(({ asksForLog }) => asksForLog)?.answer.event(text);
  }

  #fail(reason: string): void {
    for (const { answer } of this.#calls.values()) {
      answer.fail(new UpstreamError('connection', `The server ended before it had answered: it ${reason}.`));
    }
    this.#calls.clear();
  }
}

/** The actors for whom a process has worked recently. */
class RecentCallers {
  #only: string | undefined;
  #lastSeen = Number.NEGATIVE_INFINITY;
  #mixedUntil = Number.NEGATIVE_INFINITY;

  /** A request of this actor begins or ends. */
  note(actor: string | undefined): void {
    const now = performance.now();
    const isLate = now - this.#lastSeen < LATE_LOG_MILLISECONDS;
    if (actor === undefined || (isLate && this.#only !== actor)) this.#mixedUntil = now + LATE_LOG_MILLISECONDS;
    this.#only = actor;
    this.#lastSeen = now;
  }

  /** True when all requests of the last minute came from one actor. */
  isOne(): boolean {
    return this.#only !== undefined && performance.now() >= this.#mixedUntil;
  }
}

/** Restores the caller's own id, also in the name of a subscription. */
function restored(text: string, { idText }: Call): string {
  let own = withValue(text, ['id'], idText);
  for (const path of SUBSCRIPTION_PATHS) own = withValue(own, path, idText);
  return own;
}

/** Source: modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http. */
function statusOf({ value }: StdioMessage): number {
  const code = value.error?.code;
  if (typeof code !== 'number') return 200;
  if (code === METHOD_NOT_FOUND) return 404;
  return isProtocolCode(code) ? 400 : 200;
}
