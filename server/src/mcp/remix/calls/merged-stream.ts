/**
 * The stream on which a client receives the messages of all sources. Each source has a stream of its own, which reopens
 * after it has ended; the client is notified that the lists have changed when a source disconnects and when it returns.
 */

import type { IncomingHttpHeaders } from 'node:http';
import { guarded } from '../../../watching/background.ts';
import { dataOf, EventSplitter, eventOf, withData, withEventId } from '../../protocol/event-stream.ts';
import type { JsonObject } from '../../protocol/message.ts';
import type { AnswerSink, UpstreamCall, UpstreamRequest } from '../../upstream/upstream.ts';
import type { RemixSource } from '../composition/selection.ts';
import type { Link, Links } from '../sources/links.ts';
import { keyedId } from '../sources/source-ids.ts';
import type { SourceMessages } from '../sources/source-messages.ts';

interface StreamedSource {
  readonly source: RemixSource;
  readonly request: UpstreamRequest;
  /**
   * The last event that the client has from a stream of this source: later events are sent again, including answers.
   */
  readonly lastEventId?: string;
  readonly messages: SourceMessages;
  /** Notifications that the lists which the source adds to have changed. */
  readonly listChanges: readonly JsonObject[];
}

const EVENT_HEADERS = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', 'x-accel-buffering': 'no' };
/** Delay before an ended stream reopens; it doubles each time that the stream ends at once. */
const AGAIN_SECONDS = { first: 1, last: 30 };
/** Another stream of the session has not ended yet, or the source is busy or broken. */
const MAY_PASS: ReadonlySet<number> = new Set([409, 429, 500, 502, 503, 504]);
/** Notifications with which sources open and close their own streams. */
const OF_ONE_STREAM = /^notifications\/subscriptions\//;

export class MergedStream implements UpstreamCall {
  readonly #sources: readonly SourceStream[];

  constructor(sink: AnswerSink, links: Links, sources: readonly StreamedSource[], first?: JsonObject) {
    sink.begin(200, EVENT_HEADERS);
    if (first) sink.data(eventOf(first));
    this.#sources = sources.map((source) => new SourceStream((event) => sink.data(event), links, source));
    for (const source of this.#sources) source.open();
  }

  abort(): void {
    for (const source of this.#sources) source.close();
  }

  resume(): void {
    for (const source of this.#sources) source.resume();
  }
}

class SourceStream implements AnswerSink {
  readonly #write: (event: Buffer) => boolean;
  readonly #links: Links;
  readonly #streamed: StreamedSource;
  #call: UpstreamCall | undefined;
  #link: Link | undefined;
  #splitter: EventSplitter | undefined;
  #status = 0;
  #lastEventId: string | undefined;
  #openedAt = 0;
  #againSeconds = AGAIN_SECONDS.first;
  #timer: NodeJS.Timeout | undefined;
  #state: 'new' | 'open' | 'lost' | 'closed' = 'new';

  constructor(write: (event: Buffer) => boolean, links: Links, streamed: StreamedSource) {
    this.#write = write;
    this.#links = links;
    this.#streamed = streamed;
    this.#lastEventId = streamed.lastEventId;
  }

  open(): void {
    this.#timer = undefined;
    this.#send().catch(() => this.#lost());
  }

  close(): void {
    this.#state = 'closed';
    clearTimeout(this.#timer);
    this.#call?.abort();
  }

  resume(): void {
    this.#call?.resume();
  }

  begin(status: number, headers: IncomingHttpHeaders): void {
    this.#status = status;
    if (status !== 200 || !headers['content-type']?.startsWith('text/event-stream')) return;
    this.#splitter = new EventSplitter();
    this.#openedAt = performance.now();
    if (this.#state === 'lost') this.#tellListChanges();
    this.#state = 'open';
  }

  data(chunk: Buffer): boolean {
    if (this.#state === 'closed' || !this.#splitter) return true;
    try {
      const events = this.#splitter.push(chunk).flatMap((event) => this.#passed(event) ?? []);
      return events.length === 0 || this.#write(Buffer.concat(events));
    } catch {
      this.#call?.abort();
      this.#lost();
      return true;
    }
  }

  end(): void {
    if (this.#status === 404 && this.#link) this.#links.forget(this.#streamed.source, this.#link);
    // A source without such a stream sends no message outside of requests.
    if (this.#status === 200 || this.#status === 404 || MAY_PASS.has(this.#status)) this.#lost();
  }

  fail(): void {
    this.#lost();
  }

  async #send(): Promise<void> {
    const { source, request } = this.#streamed;
    this.#splitter = undefined;
    this.#status = 0;
    const link = await this.#links.reach(source, await this.#links.find(source));
    if (this.#state === 'closed') return;
    this.#link = link;
    const headers: Record<string, string> = { ...request.headers, ...link.headers };
    if (this.#lastEventId !== undefined) headers['last-event-id'] = this.#lastEventId;
    this.#call = link.upstream.send({ ...request, headers }, this);
  }

  #passed(event: Buffer): Buffer | undefined {
    const { source, messages } = this.#streamed;
    const own = withEventId(event, (id) => keyedId(source.key, id));
    const data = dataOf(own);
    if (data === undefined || data === '') return own;
    const resumes = this.#lastEventId !== undefined;
    const told = messages.toClient(data, { mayHoldTasks: resumes, namesResources: resumes });
    if (told === undefined) return undefined;
    const { method } = JSON.parse(told) as { method?: unknown };
    if (method === undefined) {
      if (!resumes) return undefined;
      // After its answer, the resumed stream is over; the next one belongs to the source alone.
      this.#lastEventId = undefined;
    } else if (typeof method !== 'string' || OF_ONE_STREAM.test(method)) return undefined;
    return told === data ? own : withData(own, told);
  }

  #lost(): void {
    if (this.#state === 'closed' || this.#timer) return;
    if (this.#state === 'open') {
      if (performance.now() - this.#openedAt > AGAIN_SECONDS.last * 1000) this.#againSeconds = AGAIN_SECONDS.first;
      this.#tellListChanges();
    }
    this.#state = 'lost';
    this.#timer = setTimeout(
      guarded('the next try of a stream of a remix', () => this.open()),
      this.#againSeconds * 1000,
    );
    this.#againSeconds = Math.min(this.#againSeconds * 2, AGAIN_SECONDS.last);
  }

  #tellListChanges(): void {
    const { listChanges } = this.#streamed;
    if (listChanges.length > 0) this.#write(Buffer.concat(listChanges.map(eventOf)));
  }
}
