/**
 * Forwards the answer of an upstream to the client. A short JSON answer is sent in one piece, so a server that breaks
 * off leaves a clean error; everything else streams, no faster than the client reads.
 */
import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { atClose } from '../../../network/at-close.ts';
import { guarded, inBackground } from '../../../watching/background.ts';
import { URL_ELICITATION_REQUIRED } from '../../protocol/codes.ts';
import { TooManyValues } from '../../protocol/count-values.ts';
import { dataOf, EventSplitter, eventOf, withData } from '../../protocol/event-stream.ts';
import { failureIn, failureInEvents, mayReportFailure, type ReportedFailure } from '../../protocol/reported-failure.ts';
import { asksForPages, PAGES_MARK } from '../../protocol/url-elicitation.ts';
import { failedStatus } from '../../upstream/failed-status.ts';
import type { AnswerSink, Upstream, UpstreamCall, UpstreamError, UpstreamRequest } from '../../upstream/upstream.ts';
import type { FailureKind } from '../arrive/failures.ts';
import {
  answerOf,
  answerRefusal,
  faultRefusal,
  type RecordedRefusal,
  type Refusal,
  resultTooLarge,
  TOO_MANY_VALUES,
  UNUSABLE_ANSWER,
  UPSTREAM_REFUSED,
  upstreamRefusal,
} from '../arrive/refusals.ts';
import { answers } from './answers.ts';
import { AskedServer } from './asked-server.ts';
import { judgeFailure } from './failed-answer.ts';
import type { RelayOptions } from './relay-options.ts';

/** Watches the progress of an answer. */
export interface RelayWatcher {
  /** The answer has begun to stream. */
  streaming(relay: Relay): void;
  /** Called once, at the end. */
  finished(end: RelayEnd): void;
}

export interface RelayEnd {
  readonly status: number;
  /** Bytes of the answer's body. */
  readonly bytes: number;
  readonly refusal: RecordedRefusal | undefined;
  /** The failure of a call that the gateway did not refuse. */
  readonly failure?: FailureKind | undefined;
}

/** The recorded status when the client left before the answer. */
const CLIENT_LEFT = 499;
const PAGE_REQUIRED: RecordedRefusal = { code: URL_ELICITATION_REQUIRED, failure: 'page_required' };

/** A JSON answer up to this length is sent in one piece. */
const WHOLE_BYTES = 64 * 1024;
/** Longest JSON answer that is read as a whole. */
const MAX_REWRITTEN_BYTES = 16 * 1024 * 1024;

export class Relay implements AnswerSink {
  #call: UpstreamCall | undefined;
  readonly #response: ServerResponse;
  readonly #options: RelayOptions;
  readonly #watcher: RelayWatcher;
  #status = 0;
  #headers: OutgoingHttpHeaders = {};
  #held: Buffer[] | undefined;
  #heldBytes = 0;
  #splitter: EventSplitter | undefined;
  #bytes = 0;
  #streamsEvents = false;
  /** The headers of an answer with an error status. */
  #failed: IncomingHttpHeaders | undefined;
  #done = false;
  /** True while rewritten bytes wait; the end then waits too. */
  #settling = false;
  #endsLater = false;
  readonly #asked = new AskedServer();
  /** True if the server refuses the request until a page has been opened. */
  #asksForPages = false;
  /** The failure that the answer reports. */
  #reported: ReportedFailure | undefined;

  constructor(response: ServerResponse, options: RelayOptions, watcher: RelayWatcher) {
    this.#response = response;
    this.#options = options;
    this.#watcher = watcher;
    atClose(response, () => this.#left());
  }

  sendBy(upstream: Upstream, request: UpstreamRequest): void {
    if (this.#done) return;
    this.#asked.begin(request.headers);
    this.#call = upstream.send(request, this);
  }

  begin(status: number, headers: IncomingHttpHeaders): void {
    inBackground('the beginning of an answer', () => this.#begin(status, headers), this.#broken);
  }

  data(chunk: Buffer): boolean {
    let isReady = true;
    const take = () => {
      isReady = this.#take(chunk);
    };
    inBackground('a part of an answer', take, this.#broken);
    return isReady;
  }

  end(): void {
    inBackground('the end of an answer', () => this.#end(), this.#broken);
  }

  fail(error: UpstreamError): void {
    inBackground('the failure of an answer', () => this.#fail(error), this.#broken);
  }

  /** A fault of this server during an answer ends the answer. */
  readonly #broken = (error: unknown): void => {
    if (this.#done) return;
    try {
      this.#give(faultRefusal(error));
    } finally {
      if (!this.#response.writableEnded) this.#response.destroy();
    }
  };

  #begin(status: number, headers: IncomingHttpHeaders): void {
    if (this.#done) return;
    this.#asked.answered(undefined);
    if (!this.#options.untouched && this.#refused(status, headers['content-encoding'])) return;
    this.#status = status;
    this.#headers = this.#options.headersOf(headers);
    this.#headers['x-request-id'] = this.#options.requestId;
    const type = headers['content-type'] ?? '';
    if (status >= 400 && this.#options.failing) {
      this.#failed = headers;
      this.#held = [];
    } else if (type.startsWith('text/event-stream')) {
      this.#streamsEvents = true;
      const { filter, stream, maxBytes } = this.#options;
      if (filter || stream || maxBytes !== undefined) this.#splitter = new EventSplitter();
      this.#response.writeHead(status, this.#headers);
      this.#response.flushHeaders();
      this.#watcher.streaming(this);
    } else if (Number(headers['content-length'] ?? 0) > this.#mostBytes) {
      this.#give(resultTooLarge(this.#mostBytes));
    } else {
      this.#held = [];
    }
  }

  get #mostBytes(): number {
    return this.#options.maxBytes ?? Number.POSITIVE_INFINITY;
  }

  /** Replaces an answer that must not be forwarded by an error of the gateway. */
  #refused(status: number, encoding: string | undefined): boolean {
    if (status === 401 || status === 407) this.#give(UPSTREAM_REFUSED);
    else if ((encoding !== undefined && encoding !== 'identity') || (status >= 300 && status < 400)) {
      this.#give(UNUSABLE_ANSWER);
    }
    return this.#done;
  }

  #take(chunk: Buffer): boolean {
    if (this.#done) return true;
    if (this.#held) return this.#hold(this.#held, chunk);
    if (this.#streamsEvents) {
      this.#asksForPages ||= asksForPages(chunk, true);
      this.#reported ??= failureInEvents(chunk, this.#options.id);
    }
    if (!this.#splitter) {
      if (this.#bytes + chunk.length <= this.#mostBytes) return this.#write(chunk);
      // Its beginning has been sent to the client.
      this.#breakOff(resultTooLarge(this.#mostBytes));
      return true;
    }
    try {
      const whole = this.#splitter.push(chunk);
      if (this.#splitter.size > this.#mostBytes || whole.some(({ length }) => length > this.#mostBytes)) {
        this.endWith(resultTooLarge(this.#mostBytes));
        return true;
      }
      const events = whole.flatMap((event) => this.#filterEvent(event) ?? []);
      // One write for all events, because each write costs some hundred bytes while it waits for the reader.
      if (events.length > 0) return this.#writeSettled(events.length === 1 ? events[0]! : Buffer.concat(events));
    } catch (error) {
      this.#breakOff(refusalFor(error));
    }
    // The reader may still have to take an earlier event.
    return !this.#response.writableNeedDrain;
  }

  #end(): void {
    if (this.#done) return;
    if (this.#settling) {
      this.#endsLater = true;
      return;
    }
    if (this.#held) {
      try {
        this.#sendWhole(this.#held);
      } catch (error) {
        if (!(error instanceof TooManyValues)) throw error;
        this.#give(TOO_MANY_VALUES);
      }
      return;
    }
    // An incomplete event is dropped, as the HTML standard requires; unfiltered bytes pass.
    this.#response.end();
    this.#finish(this.#status, undefined);
  }

  #fail(error: UpstreamError): void {
    if (this.#done) return;
    this.#asked.answered(error.fault);
    this.#give(upstreamRefusal(error));
  }

  /** Writes an event of the gateway into a stream that stays open. */
  inject(event: Buffer): void {
    if (!this.#done && this.#splitter) this.#write(event);
  }

  /**
   * Ends an answer with the reason, because the client would otherwise continue to wait. An answer without events
   * breaks off.
   */
  endWith(refusal: Refusal): void {
    if (this.#done) return;
    if (!this.#streamsEvents) {
      this.#breakOff(refusal);
      return;
    }
    this.#call?.abort();
    // First ends an event that was cut off in the middle.
    const last = Buffer.concat([Buffer.from('\n\n'), eventOf(answerOf(refusal, this.#options.id))]);
    this.#bytes += last.length;
    this.#response.end(last);
    this.#finish(this.#status, refusal);
  }

  /** Ends a stream from here. */
  close(): void {
    if (this.#done) return;
    this.#call?.abort();
    this.#response.end();
    this.#finish(this.#status, undefined);
  }

  #hold(held: Buffer[], chunk: Buffer): boolean {
    held.push(chunk);
    this.#heldBytes += chunk.length;
    if (this.#failed && this.#heldBytes > WHOLE_BYTES) {
      // No error message of the protocol is that long.
      this.#give(upstreamRefusal(failedStatus(this.#status, this.#failed)));
      return true;
    }
    if (this.#heldBytes > this.#mostBytes) {
      this.#give(resultTooLarge(this.#mostBytes));
      return true;
    }
    if (this.#options.rewrite) {
      if (this.#heldBytes > MAX_REWRITTEN_BYTES) this.#give(UNUSABLE_ANSWER);
      return true;
    }
    if (this.#heldBytes <= WHOLE_BYTES) return true;
    this.#held = undefined;
    this.#response.writeHead(this.#status, this.#headers);
    this.#watcher.streaming(this);
    return this.#write(Buffer.concat(held));
  }

  #sendWhole(held: Buffer[]): void {
    const answer = held.length === 1 ? held[0]! : Buffer.concat(held);
    if (this.#failed && this.#options.failing) {
      const judged = judgeFailure({ status: this.#status, headers: this.#failed, body: answer }, this.#options.failing);
      if (typeof judged !== 'number') {
        this.#give(judged);
        return;
      }
      this.#status = judged;
    }
    // A character for each byte. Text is sent to the socket together with the headers, while bytes would be sent
    // separately.
    const bytes = answer.toString('latin1');
    if (this.#status === 200 && this.#options.id !== undefined && !answers(answer, bytes, this.#options.id)) {
      this.#give(UNUSABLE_ANSWER);
      return;
    }
    this.#asksForPages = bytes.includes(PAGES_MARK) && asksForPages(answer, false);
    if (mayReportFailure(bytes)) this.#reported = failureIn(answer.toString('utf8'), this.#options.id);
    const body = this.#options.rewrite && answer.length > 0 ? this.#options.rewrite(answer) : answer;
    if (!body) {
      this.#give(UNUSABLE_ANSWER);
      return;
    }
    const text = body === answer ? bytes : body.toString('latin1');
    const settled = this.#options.settled?.();
    if (settled !== undefined) this.#settle(settled, () => this.#sendText(text));
    else this.#sendText(text);
  }

  /** `text` has a character for each byte. */
  #sendText(text: string): void {
    if (text.length > 0 || this.#status !== 202) this.#headers['content-length'] = text.length;
    this.#response.writeHead(this.#status, this.#headers);
    this.#response.end(text, 'latin1');
    this.#bytes += text.length;
    this.#finish(this.#status, undefined);
  }

  #filterEvent(event: Buffer): Buffer | undefined {
    const { filter } = this.#options;
    if (!filter?.concerns(event)) return event;
    const data = dataOf(event);
    if (data === undefined || data === '') return event;
    const filtered = filter.apply(data);
    if (filtered === data) return event;
    return filtered === undefined ? undefined : withData(event, filtered);
  }

  /** Writes once what belongs to the bytes has happened. Meanwhile the answer pauses. */
  #writeSettled(bytes: Buffer): boolean {
    const settled = this.#options.settled?.();
    if (settled === undefined) return this.#write(bytes);
    this.#settle(settled, () => {
      if (this.#write(bytes)) this.#call?.resume();
    });
    return false;
  }

  #settle(settled: Promise<void>, act: () => void): void {
    this.#settling = true;
    inBackground(
      'a part of an answer',
      async () => {
        await settled;
        this.#settling = false;
        if (this.#done) return;
        act();
        if (this.#endsLater) this.#end();
      },
      this.#broken,
    );
  }

  #write(bytes: Buffer): boolean {
    this.#bytes += bytes.length;
    const ready = this.#response.write(bytes);
    if (!ready && this.#response.listenerCount('drain') === 0) {
      this.#response.once(
        'drain',
        guarded('the next part of an answer', () => this.#call?.resume(), this.#broken),
      );
    }
    return ready;
  }

  /** Sends an error instead of the answer; if the answer has begun, it can only break off. */
  #give(refusal: Refusal): void {
    this.#call?.abort();
    if (this.#response.headersSent) {
      this.#breakOff(refusal);
      return;
    }
    const { requestId, id, keepsSession } = this.#options;
    const given = keepsSession && id !== undefined ? { ...refusal, status: 200 } : refusal;
    this.#bytes = answerRefusal(this.#response, given, requestId, id);
    this.#finish(given.status, refusal);
  }

  #breakOff(refusal: Refusal = UNUSABLE_ANSWER): void {
    this.#call?.abort();
    this.#response.destroy();
    this.#finish(this.#status, refusal);
  }

  /** The client has disconnected before the end. */
  #left(): void {
    if (this.#done) return;
    this.#call?.abort();
    if (this.#status === 0) this.#finish(CLIENT_LEFT, undefined);
    else this.#finish(this.#status, undefined);
  }

  #finish(status: number, refusal: Refusal | undefined): void {
    this.#done = true;
    // A client may leave before the answer has begun.
    this.#asked.end();
    const told = refusal ?? (this.#asksForPages ? PAGE_REQUIRED : undefined);
    const failure =
      status === CLIENT_LEFT ? 'client_left' : (this.#reported ?? (status >= 400 ? 'error_answer' : undefined));
    this.#watcher.finished({ status, bytes: this.#bytes, refusal: told, failure });
  }
}

/** The refusal of an event that cannot be filtered. */
function refusalFor(error: unknown): Refusal {
  return error instanceof TooManyValues ? TOO_MANY_VALUES : UNUSABLE_ANSWER;
}
