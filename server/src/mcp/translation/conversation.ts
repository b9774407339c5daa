/**
 * The base of both directions of translation: one caller's request, which may need several requests upstream.
 *
 *     waiting ── event ──> streaming
 *        └──── finish, fail, abort ────> over
 */
import type { IncomingHttpHeaders } from 'node:http';
import { eventOf } from '../protocol/event-stream.ts';
import { isObject, type JsonObject, kindOf, readMessage } from '../protocol/message.ts';
import { type MessageHandler, MessageReader } from '../upstream/message-reader.ts';
import {
  type AnswerSink,
  type Upstream,
  type UpstreamCall,
  UpstreamError,
  type UpstreamRequest,
} from '../upstream/upstream.ts';

/** Longest JSON answer that is read as a whole. */
export const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
const NOT_AUTHORIZED: ReadonlySet<number> = new Set([401, 407]);
const JSON_HEADERS = { 'content-type': 'application/json' };
const EVENT_HEADERS = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', 'x-accel-buffering': 'no' };

/** The reason why nothing more is sent to the caller: the caller `left`, or has its answer. */
export type Settlement = 'answered' | 'left';

export abstract class Conversation implements UpstreamCall {
  readonly #sink: AnswerSink;
  #state: 'waiting' | 'streaming' | 'over' = 'waiting';
  #reader: MessageReader | undefined;

  constructor(sink: AnswerSink) {
    this.#sink = sink;
  }

  /** Called once, when nothing more is sent to the caller: releases other resources of the conversation. */
  protected abstract settled(how: Settlement): void;

  get over(): boolean {
    return this.#state === 'over';
  }

  abort(): void {
    this.#reader?.abort();
    if (!this.over) this.#settle('left');
  }

  resume(): void {
    this.#reader?.resume();
  }

  /** The caller no longer wants an answer. */
  cancel(): void {
    this.stopAsking();
    this.finish(undefined, 202);
  }

  /** Ends the request upstream; another may follow. */
  protected stopAsking(): void {
    this.#reader?.abort();
  }

  /** Sends one request upstream and passes its messages on, as long as the caller waits. */
  protected ask(upstream: Upstream, request: UpstreamRequest, handler: Omit<MessageHandler, 'fail'>): void {
    if (this.over) return;
    const reader = new MessageReader(
      {
        begin: (status, headers) => {
          if (!NOT_AUTHORIZED.has(status)) return handler.begin?.(status, headers) ?? true;
          this.#refuse(status, headers);
          return false;
        },
        message: (message, status, headers) => {
          if (!this.over) handler.message(message, status, headers);
        },
        end: (status, headers) => {
          if (!this.over) handler.end(status, headers);
        },
        fail: (error) => this.fail(error),
      },
      { maxBytes: MAX_ANSWER_BYTES },
    );
    this.#reader = reader;
    reader.send(upstream, request);
  }

  /** The gateway has its own answer to a server that does not accept the stored credential. */
  #refuse(status: number, headers: IncomingHttpHeaders): void {
    this.#settle('answered');
    this.#reader?.abort();
    this.#sink.begin(status, headers);
  }

  /** Writes an event, and starts the stream if needed. */
  event(message: JsonObject): void {
    this.openStream();
    if (!this.over) this.#sink.data(eventOf(message));
  }

  openStream(): void {
    if (this.#state !== 'waiting') return;
    this.#state = 'streaming';
    this.#sink.begin(200, EVENT_HEADERS);
  }

  /** Sends the last message of the answer: as JSON if no event came before it. */
  finish(message: JsonObject | undefined, status = 200, headers: Record<string, string> = {}): void {
    this.#finish(message ? [message] : [], message, status, headers);
  }

  /** Sends the last messages of the answer: as a list if no event came before them. */
  protected finishAll(messages: readonly JsonObject[]): void {
    this.#finish(messages, messages, 200, {});
  }

  #finish(events: readonly JsonObject[], content: unknown, status: number, headers: Record<string, string>): void {
    if (this.over) return;
    const streams = this.#state === 'streaming';
    this.#settle('answered');
    if (streams) {
      for (const message of events) this.#sink.data(eventOf(message));
    } else {
      this.#sink.begin(status, content ? { ...JSON_HEADERS, ...headers } : headers);
      if (content) this.#sink.data(Buffer.from(JSON.stringify(content)));
    }
    this.#sink.end();
  }

  fail(error: unknown): void {
    if (this.over) return;
    this.#settle('answered');
    this.#reader?.abort();
    this.#sink.fail(
      error instanceof UpstreamError ? error : new UpstreamError('answer', 'The server sent an invalid answer.'),
    );
  }

  #settle(how: Settlement): void {
    this.#state = 'over';
    this.settled(how);
  }
}

/** The message of a request that the gateway has screened. */
export function messageIn({ body }: UpstreamRequest): JsonObject {
  return (body === null ? undefined : readMessage(body.toString('utf8'))) ?? {};
}

export function isRequest(message: JsonObject): boolean {
  return kindOf(message) === 'request';
}

export function objectOr(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}
