/**
 * A session of the revisions up to 2025-11-25 with a process of its own: messages of the client go to the process
 * unchanged except for ids, and messages of the process go to the client on exactly one stream.
 */

import { INVALID_REQUEST } from '../../../protocol/codes.ts';
import { withValue } from '../../../protocol/json-span.ts';
import type { Notification, Request } from '../../../protocol/message.ts';
import { UpstreamError } from '../../../upstream/upstream.ts';
import { withNumber, withOwnToken } from './exchanged-ids.ts';
import type { HttpAnswer } from './http-answer.ts';
import { errorText, keyOfId, type StdioMessage } from './stdio-message.ts';
import type { StdioProcess } from './stdio-process.ts';

const MAX_CALLS = 256;
const MAX_STREAMS = 8;
/** Messages that wait until the client opens a stream. */
const MAX_WAITING = 200;
/** Notifications about the server as a whole go to the stream that stays open. */
const OF_THE_SERVER = /^notifications\/(tools|prompts|resources)\/(list_changed|updated)$/;

interface Call {
  readonly answer: HttpAnswer;
  /** The client's id: in its original notation, and in the form of `keyOfId`. */
  readonly idText: string;
  readonly ownKey: string;
  readonly tokenText: string;
  /** The client can read a stream. */
  readonly canStream: boolean;
  /** Further headers of the answer. */
  readonly headers: (message: StdioMessage) => Readonly<Record<string, string>>;
}

const noHeaders = () => ({});

export class StdioSession {
  readonly process: StdioProcess;
  /** Undefined for a caller without an identity. */
  readonly actor: string | undefined;
  /** Calls by their number, in the form of `keyOfId`. */
  readonly #calls = new Map<string, Call>();
  #lastId = 0;
  readonly #streams = new Set<HttpAnswer>();
  #waiting: string[] = [];
  lastUsed = performance.now();

  constructor(process: StdioProcess, actor: string | undefined) {
    this.process = process;
    this.actor = actor;
    process.listen((message) => this.#receive(message));
    process.whenEnded((reason) => this.#fail(reason));
  }

  /** True while the client waits for an answer. */
  get isAsked(): boolean {
    return this.#calls.values().some(({ answer }) => !answer.over);
  }

  /** True while the client waits for any message, including unsolicited ones. */
  get busy(): boolean {
    return this.#streams.size > 0 || this.isAsked;
  }

  /** `accept` is the header; `headers` are added to the answer. */
  request(message: StdioMessage, accept: string, answer: HttpAnswer, headers: Call['headers'] = noHeaders): void {
    this.lastUsed = performance.now();
    if (this.#calls.size >= MAX_CALLS) this.#forgetOne();
    if (this.#calls.size >= MAX_CALLS) {
      answer.fail(new UpstreamError('unavailable', 'The session has too many active requests.', 1));
      return;
    }
    const id = ++this.#lastId;
    const { text, tokenText } = withNumber(message.text, String(id));
    this.#calls.set(keyOfId(id), {
      answer,
      idText: message.idText,
      ownKey: message.key,
      tokenText,
      canStream: accept.includes('text/event-stream'),
      headers,
    });
    if (!this.process.send(text)) {
      this.#calls.delete(keyOfId(id));
      answer.fail(new UpstreamError('unavailable', 'The server reads no more requests.', 1));
    }
  }

  /** Forgets the oldest call for which no one waits: a program does not answer every call. */
  #forgetOne(): void {
    for (const [key, { answer }] of this.#calls) {
      if (!answer.over) continue;
      this.#calls.delete(key);
      return;
    }
  }

  /** Forwards a notification, or the answer to a request of the server. */
  tell({ text, message }: StdioMessage, answer: HttpAnswer): void {
    this.lastUsed = performance.now();
    const isCancellation = message.kind === 'notification' && message.method === 'notifications/cancelled';
    const sent = isCancellation ? this.#cancel(text, message.params['requestId']) : this.process.send(text);
    if (sent) answer.json(202, '');
    else answer.fail(new UpstreamError('unavailable', 'The server reads no more messages.', 1));
  }

  /**
   * A server sends no answer to a cancelled request; one that was already sent is dropped. False when the process no
   * longer reads.
   */
  #cancel(text: string, id: unknown): boolean {
    const key = keyOfId(id);
    for (const [number, call] of this.#calls) {
      if (call.ownKey !== key) continue;
      this.#calls.delete(number);
      if (!this.process.send(withValue(text, ['params', 'requestId'], number.slice('number '.length)))) return false;
      if (call.answer.streaming) call.answer.end();
      else call.answer.json(202, '');
    }
    return true;
  }

  /** Opens a stream for the server's unsolicited messages. */
  open(answer: HttpAnswer): void {
    this.lastUsed = performance.now();
    if (this.#streams.size >= MAX_STREAMS) {
      answer.json(409, errorText('', INVALID_REQUEST, 'The session has too many streams open.'));
      return;
    }
    this.#streams.add(answer);
    answer.stream();
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const text of waiting) answer.event(text);
  }

  /** The answer is over: nothing more is sent to it. A request of a client that left continues. */
  forget(answer: HttpAnswer): void {
    this.lastUsed = performance.now();
    this.#streams.delete(answer);
  }

  #receive(received: StdioMessage): void {
    const { message, text } = received;
    if (message.kind === 'response') this.#answer(received);
    else this.#deliver(message, text);
  }

  #answer(message: StdioMessage): void {
    const call = this.#calls.get(message.key);
    if (!call) return;
    this.#calls.delete(message.key);
    call.answer.finish(200, withValue(message.text, ['id'], call.idText), call.headers(message));
  }

  #deliver({ method, params }: Request | Notification, text: string): void {
    if (method === 'notifications/progress') {
      const call = this.#calls.get(keyOfId(params['progressToken']));
      if (call?.canStream) call.answer.event(withOwnToken(text, call));
      return;
    }
    const streams = [...this.#streams];
    const calls = [...this.#calls.values()].filter(({ canStream }) => canStream).map(({ answer }) => answer);
    // The latest stream first: an older one may belong to a lost connection.
    const places = (OF_THE_SERVER.test(method) ? [...calls, ...streams] : [...streams, ...calls]).reverse();
    if (places.some((answer) => answer.event(text))) {
      this.lastUsed = performance.now();
      return;
    }
    this.#waiting.push(text);
    if (this.#waiting.length > MAX_WAITING) this.#waiting.shift();
  }

  #fail(reason: string): void {
    for (const { answer } of this.#calls.values()) {
      answer.fail(new UpstreamError('connection', `The server ended before it had answered: it ${reason}.`));
    }
    for (const answer of this.#streams) answer.end();
    this.#calls.clear();
    this.#streams.clear();
  }
}
