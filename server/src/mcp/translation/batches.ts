/**
 * Sends a batch to a server that accepts one message at a time: one request for each message, and one list of their
 * answers.
 */
import { guarded } from '../../watching/background.ts';
import { readExactly } from '../protocol/exact-json.ts';
import { isObject, type JsonObject, kindOf } from '../protocol/message.ts';
import type { AnswerSink, Upstream, UpstreamCall, UpstreamRequest } from '../upstream/upstream.ts';
import { Conversation } from './conversation.ts';

export function oneByOne(upstream: Upstream): Upstream {
  return {
    send: (request, sink) => {
      const messages = batchIn(request);
      return messages ? new BatchCall(upstream, request, messages, sink).begin() : upstream.send(request, sink);
    },
  };
}

const WHITE_SPACE: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);
const BRACKET = 0x5b;

/** Undefined for a single message, which is not parsed here. The gateway has screened the batch. */
function batchIn({ method, body }: UpstreamRequest): JsonObject[] | undefined {
  if (method !== 'POST' || body?.find((byte) => !WHITE_SPACE.has(byte)) !== BRACKET) return undefined;
  const messages = readExactly(body.toString('utf8'));
  return Array.isArray(messages) ? messages.filter(isObject) : undefined;
}

/** Sends one message after the other, so that a batch costs a server no more than separate messages. */
class BatchCall extends Conversation {
  readonly #upstream: Upstream;
  readonly #request: UpstreamRequest;
  readonly #messages: readonly JsonObject[];
  readonly #answers: JsonObject[] = [];
  #next = 0;

  constructor(upstream: Upstream, request: UpstreamRequest, messages: readonly JsonObject[], sink: AnswerSink) {
    super(sink);
    this.#upstream = upstream;
    this.#request = request;
    this.#messages = messages;
  }

  /** The caller must have its call before the first answer. */
  begin(): UpstreamCall {
    queueMicrotask(
      guarded(
        'a batch',
        () => this.#sendNext(),
        (error) => this.fail(error),
      ),
    );
    return this;
  }

  #sendNext(): void {
    const message = this.#messages[this.#next++];
    if (!message) {
      this.#answer();
      return;
    }
    const headers = { ...this.#request.headers };
    this.ask(
      this.#upstream,
      { ...this.#request, headers, body: Buffer.from(JSON.stringify(message)) },
      {
        message: (answer) => {
          if (kindOf(answer) === 'response') this.#answers.push(answer);
          else this.event(answer);
        },
        // An ended session, for example, ends the whole batch.
        end: (status) =>
          status < 400 || this.#isAnswered(message) ? this.#sendNext() : this.finish(undefined, status),
      },
    );
  }

  #isAnswered({ id }: JsonObject): boolean {
    return this.#answers.some((answer) => answer['id'] === id);
  }

  #answer(): void {
    if (this.#answers.length > 0) this.finishAll(this.#answers);
    else this.finish(undefined, 202);
  }

  protected override settled(): void {}
}
