/** One request of a client that is forwarded to one source, and its answer. */
import type { IncomingHttpHeaders } from 'node:http';
import { dataOf, EventSplitter, withData, withEventId } from '../../protocol/event-stream.ts';
import { type JsonObject, kindOf, readMessage } from '../../protocol/message.ts';
import { asksForPages } from '../../protocol/url-elicitation.ts';
import { answerOwn } from '../../translation/own-answer.ts';
import { failedStatus } from '../../upstream/failed-status.ts';
import {
  type AnswerSink,
  REFUSED_CREDENTIAL,
  type UpstreamCall,
  UpstreamError,
  type UpstreamRequest,
} from '../../upstream/upstream.ts';
import type { RemixSource } from '../composition/selection.ts';
import type { Link, Links } from '../sources/links.ts';
import { keyedId } from '../sources/source-ids.ts';
import type { SourceAnswer, SourceMessages } from '../sources/source-messages.ts';
import { naming } from '../sources/sources.ts';

export interface Passage {
  readonly source: RemixSource;
  readonly links: Links;
  /** The request in the source's form, without the headers of its connection. */
  readonly request: UpstreamRequest;
  readonly messages: SourceMessages;
  readonly answer: SourceAnswer;
  /** False for a notification and for an answer of the client. */
  readonly isRequest: boolean;
  /** The called tool, by its name at the source, and the answer if the source withholds it. */
  readonly tool: { readonly name: string; readonly heldBack: JsonObject } | undefined;
  /** Called once, at the end. */
  settled(): void;
}

interface FailedAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

/** Longest JSON answer that is read as a whole. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
/** Longest error in a JSON answer. */
const MAX_ERROR_BYTES = 64 * 1024;
/** Every message of the protocol contains it. */
const MESSAGE_MARK = '"jsonrpc"';
const ACTOR_HEADER = /^signalbox-/;

export class PassedCall implements AnswerSink, UpstreamCall {
  readonly #sink: AnswerSink;
  readonly #passage: Passage;
  #call: UpstreamCall | undefined;
  #link: Link | undefined;
  #attempt: 'first' | 'second' = 'first';
  #ignored = false;
  #over = false;
  #splitter: EventSplitter | undefined;
  #whole: Buffer[] | undefined;
  #wholeBytes = 0;
  /** Otherwise only the error that requests pages is rewritten, which is short. */
  #isRewritten = false;
  /** The answer, if it has an error status. */
  #failed: FailedAnswer | undefined;

  constructor(sink: AnswerSink, passage: Passage) {
    this.#sink = sink;
    this.#passage = passage;
    this.#try();
  }

  abort(): void {
    if (this.#over) return;
    this.#settle();
    this.#call?.abort();
  }

  resume(): void {
    this.#call?.resume();
  }

  begin(status: number, { 'mcp-session-id': _session, ...headers }: IncomingHttpHeaders): void {
    if (this.#over) return;
    // The message was not accepted, so it is sent in another session.
    this.#ignored = status === 404 && this.#attempt === 'first' && this.#link?.headers['mcp-session-id'] !== undefined;
    if (this.#ignored) return;
    if (status === 401 || status === 407) {
      this.#call?.abort();
      this.fail(new UpstreamError('answer', REFUSED_CREDENTIAL));
      return;
    }
    if (status >= 400) {
      this.#failed = { status, headers };
      this.#whole = [];
      return;
    }
    const { mayHoldTasks, namesResources } = this.#passage.answer;
    if (headers['content-type']?.startsWith('text/event-stream')) this.#splitter = new EventSplitter();
    else {
      this.#whole = [];
      this.#isRewritten = mayHoldTasks || namesResources;
    }
    this.#sink.begin(status, headers);
  }

  data(chunk: Buffer): boolean {
    if (this.#over || this.#ignored) return true;
    if (this.#splitter) return this.#passEvents(this.#splitter, chunk);
    if (!this.#whole) return this.#sink.data(chunk);
    this.#wholeBytes += chunk.length;
    if (this.#failed && this.#wholeBytes > MAX_ERROR_BYTES) return true;
    this.#whole.push(chunk);
    if (this.#isRewritten) {
      if (this.#wholeBytes > MAX_ANSWER_BYTES) this.#tooLarge();
      return true;
    }
    if (this.#wholeBytes <= MAX_ERROR_BYTES) return true;
    const begun = Buffer.concat(this.#whole);
    this.#whole = undefined;
    return this.#sink.data(begun);
  }

  end(): void {
    if (this.#over) return;
    if (this.#ignored) {
      this.#passage.links.forget(this.#passage.source, this.#link!);
      this.#link = undefined;
      this.#attempt = 'second';
      this.#ignored = false;
      this.#try();
      return;
    }
    if (this.#failed) {
      this.#endFailed(this.#failed, this.#whole ?? []);
      return;
    }
    const whole = this.#whole && this.#wholeBytes > 0 ? Buffer.concat(this.#whole) : undefined;
    if (whole && this.#passage.isRequest && !whole.includes(MESSAGE_MARK)) {
      this.fail(new UpstreamError('answer', 'The server does not answer with a message.'));
      return;
    }
    this.#settle();
    if (whole) this.#sink.data(this.#translated(whole));
    this.#sink.end();
  }

  /** An error of the source with its own message is forwarded; any other error names the source. */
  #endFailed({ status, headers }: FailedAnswer, parts: readonly Buffer[]): void {
    const body = Buffer.concat(parts);
    if (this.#wholeBytes > MAX_ERROR_BYTES || kindOf(readMessage(body.toString('utf8'))) !== 'response') {
      this.fail(failedStatus(status, headers));
      return;
    }
    this.#settle();
    this.#sink.begin(status, headers);
    this.#sink.data(this.#translated(body));
    this.#sink.end();
  }

  fail(error: unknown): void {
    if (this.#over) return;
    this.#settle();
    this.#sink.fail(this.#link ? naming(this.#link.row.name, error) : (error as UpstreamError));
  }

  #try(): void {
    this.#send().catch((error: unknown) => this.fail(error));
  }

  async #send(): Promise<void> {
    const { links, source, request, tool } = this.#passage;
    const found = await links.find(source);
    if (tool && found.approvals?.holds(tool.name)) {
      this.#call = answerOwn(this, tool.heldBack);
      return;
    }
    const link = await links.reach(source, found);
    if (this.#over) return;
    this.#link = link;
    const headers = { ...request.headers, ...link.headers };
    // Only servers that run here get the caller's identity.
    if (link.row.kind !== 'hosted') for (const name in headers) if (ACTOR_HEADER.test(name)) delete headers[name];
    this.#call = link.upstream.send({ ...request, headers }, this);
    if (this.#over) this.#call.abort();
  }

  #passEvents(splitter: EventSplitter, chunk: Buffer): boolean {
    try {
      const events = splitter.push(chunk).flatMap((event) => this.#passEvent(event) ?? []);
      return events.length === 0 || this.#sink.data(Buffer.concat(events));
    } catch {
      this.#tooLarge();
      return true;
    }
  }

  #passEvent(event: Buffer): Buffer | undefined {
    const { messages, answer, source } = this.#passage;
    const own = withEventId(event, (id) => keyedId(source.key, id));
    const data = dataOf(own);
    if (data === undefined || data === '') return own;
    const told = messages.toClient(data, answer);
    if (told === data) return own;
    return told === undefined ? undefined : withData(own, told);
  }

  #translated(whole: Buffer): Buffer {
    if (!this.#isRewritten && !asksForPages(whole, false)) return whole;
    const { messages, answer } = this.#passage;
    return Buffer.from(messages.toClient(whole.toString('utf8'), answer) ?? '');
  }

  #tooLarge(): void {
    this.#call?.abort();
    this.fail(new UpstreamError('answer', 'The answer of the server is too large.'));
  }

  #settle(): void {
    this.#over = true;
    this.#passage.settled();
  }
}
