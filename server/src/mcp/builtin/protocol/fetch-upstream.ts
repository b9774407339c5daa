/** An upstream within this process: a function that answers a request of the Fetch standard. */
import { plainMessage } from '../../protocol/plain-message.ts';
import {
  type AnswerSink,
  type Upstream,
  type UpstreamCall,
  UpstreamError,
  type UpstreamRequest,
} from '../../upstream/upstream.ts';

type Answering = (request: Request) => Promise<Response>;

const EVERYTHING = 'application/json, text/event-stream';
/** An address that does not exist: nothing is sent there. */
const ADDRESS = 'http://builtin.invalid/mcp';

export class FetchUpstream implements Upstream {
  readonly #answer: Answering;

  constructor(answer: Answering) {
    this.#answer = answer;
  }

  send({ method, headers: given, body }: UpstreamRequest, sink: AnswerSink): UpstreamCall {
    const { accept = '*/*' } = given;
    const headers = accept.includes('*/*') ? { ...given, accept: EVERYTHING } : given;
    const gone = new AbortController();
    const passing = new Passing(sink, gone);
    const init = { method, headers, signal: gone.signal, ...(body && { body: plainMessage(body.toString('utf8')) }) };
    passing.begin(this.#answer(new Request(ADDRESS, init)));
    return passing;
  }
}

/** Forwards one answer, piece by piece. */
class Passing implements UpstreamCall {
  readonly #sink: AnswerSink;
  readonly #gone: AbortController;
  #resume = () => {};

  constructor(sink: AnswerSink, gone: AbortController) {
    this.#sink = sink;
    this.#gone = gone;
  }

  begin(answer: Promise<Response>): void {
    this.#pass(answer).catch(() => {
      if (!this.#gone.signal.aborted) this.#sink.fail(new UpstreamError('answer', 'The built-in server failed.'));
    });
  }

  abort(): void {
    this.#gone.abort();
    this.#resume();
  }

  resume(): void {
    this.#resume();
  }

  async #pass(answer: Promise<Response>): Promise<void> {
    const { status, headers, body } = await answer;
    if (this.#isGone()) return body?.cancel();
    this.#sink.begin(status, Object.fromEntries(headers));
    const reader = body?.getReader();
    for (;;) {
      const piece = await reader?.read();
      if (this.#isGone()) return reader?.cancel();
      if (!piece || piece.done) break;
      if (!this.#sink.data(Buffer.from(piece.value))) await this.#room();
    }
    this.#sink.end();
  }

  #isGone(): boolean {
    return this.#gone.signal.aborted;
  }

  #room(): Promise<void> {
    return new Promise((resolve) => {
      this.#resume = resolve;
    });
  }
}
