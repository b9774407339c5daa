/**
 * An upstream that is reached over HTTP: connections are kept and reused, bodies stream both ways with back-pressure, and
 * every connection passes the guard. Redirects that keep the method are followed, each checked like the first address.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { connectionErrorOf } from '../outbound/connection-error.ts';
import { checkUrl, guardedConnector, type TargetPolicy } from '../outbound/guard.ts';
import { OutboundError } from '../outbound/outbound-error.ts';
import { Deadlines, Timed } from './deadlines.ts';
import { type AnswerSink, type Upstream, type UpstreamCall, UpstreamError, type UpstreamRequest } from './upstream.ts';

type Undici = typeof import('undici');

export interface HttpUpstreamOptions extends TargetPolicy {
  /**
   * Seconds until a connection is free, from then until the answer must have begun, and from then until it must have ended
   * when it is no stream of events.
   */
  readonly answerSeconds: number;
  /** Connections for requests; streams that stay open have their own. */
  readonly connections: number;
  /** Of one answer that ends by itself. A stream of events has no such bound, because it is not kept. */
  readonly maxAnswerBytes: number;
}

/** What is shown upstream. */
export interface Credential {
  /** Asked for each request, so it can be renewed. */
  headers(): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  /** Which headers carry it, in lower case: they stay within the origin. */
  readonly names: readonly string[];
  /** The upstream answered 401. */
  rejected(): void;
}

/** The same headers for each request. */
export function fixedCredential(headers: Readonly<Record<string, string>>): Credential {
  return { names: Object.keys(headers), headers: () => headers, rejected: () => {} };
}

const MAX_REDIRECTS = 3;
/** A keep-alive connection that the other side is about to close is not reused. */
const KEEP_ALIVE_MILLISECONDS = 20_000;
/** What is read ahead of a slow reader; one read of the system, 64 kB, may come on top. */
const READ_AHEAD_BYTES = 16 * 1024;
/** A stream without a byte, not even a comment, for this long has ended without telling. */
const SILENT_STREAM_SECONDS = 600;

export class HttpUpstream implements Upstream {
  readonly #undici: Undici;
  readonly #target: Target;
  readonly #options: HttpUpstreamOptions;
  readonly #credential: Credential;
  readonly #deadlines: AnswerDeadlines;
  #closed = false;
  readonly #pools = { requests: new Map<string, Dispatcher>(), streams: new Map<string, Dispatcher>() };

  private constructor(undici: Undici, url: URL, options: HttpUpstreamOptions, credential: Credential) {
    this.#undici = undici;
    this.#target = targetOf(url);
    this.#options = options;
    this.#deadlines = {
      answer: new Deadlines(options.answerSeconds),
      silence: new Deadlines(SILENT_STREAM_SECONDS),
    };
    this.#credential = credential;
  }

  /** The client takes 6 MB and is loaded with the first upstream. */
  static async open(url: URL, options: HttpUpstreamOptions, credential = fixedCredential({})): Promise<HttpUpstream> {
    try {
      checkUrl(url, options);
    } catch (error) {
      throw upstreamErrorOf(error);
    }
    return new HttpUpstream(await import('undici'), url, options, credential);
  }

  send(request: UpstreamRequest, sink: AnswerSink): UpstreamCall {
    const exchange = new Exchange(request, sink, this.#options, this.#deadlines, this.#credential, this.#redirect);
    try {
      const credential = this.#credential.headers();
      if (credential instanceof Promise) {
        credential.then(
          (headers) => this.#begin(exchange, headers),
          (error) => exchange.fail(error),
        );
      } else this.#begin(exchange, credential);
    } catch (error) {
      exchange.fail(error);
    }
    return exchange;
  }

  /** Ends what is under way. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#deadlines.answer.close();
    this.#deadlines.silence.close();
    const { requests, streams } = this.#pools;
    await Promise.all([...requests.values(), ...streams.values()].map((pool) => pool.destroy()));
  }

  #begin(exchange: Exchange, credential: Readonly<Record<string, string>>): void {
    if (exchange.aborted) return;
    if (this.#closed) {
      exchange.fail(new UpstreamError('connection', 'The connection to the server has been closed.'));
      return;
    }
    const headers = exchange.request.headers as Record<string, string>;
    for (const name in credential) headers[name] = credential[name]!;
    this.#deadlines.answer.add(exchange);
    this.#dispatch(exchange, this.#target, headers);
  }

  #dispatch(exchange: Exchange, target: Target, headers: Record<string, string>): void {
    if (exchange.aborted) return;
    exchange.target = target;
    const { method, body } = exchange.request;
    const pool = this.#pool(target.origin, method === 'GET' ? 'streams' : 'requests');
    pool.dispatch({ path: target.path, method, headers, body }, exchange);
  }

  /** True when the request goes on elsewhere. Another origin sees the message, but never the stored credential. */
  #redirect = (exchange: Exchange, location: string): boolean => {
    const url = URL.parse(location, exchange.target.url);
    if (!url || exchange.redirects === MAX_REDIRECTS) return false;
    exchange.redirects += 1;
    queueMicrotask(() => {
      try {
        checkUrl(url, this.#options);
        const target = targetOf(url);
        const headers = { ...exchange.request.headers };
        if (target.origin !== this.#target.origin) for (const name of this.#credential.names) delete headers[name];
        this.#dispatch(exchange, target, headers);
      } catch (error) {
        exchange.fail(error);
      }
    });
    return true;
  };

  #pool(origin: string, use: 'requests' | 'streams'): Dispatcher {
    const pools = this.#pools[use];
    let pool = pools.get(origin);
    if (!pool) {
      pool = new this.#undici.Pool(origin, {
        connections: use === 'requests' ? this.#options.connections : null,
        pipelining: 1,
        // Deadlines are kept here, for all connections together.
        headersTimeout: 0,
        bodyTimeout: 0,
        keepAliveTimeout: KEEP_ALIVE_MILLISECONDS,
        connect: guardedConnector({ ...this.#options, readAheadBytes: READ_AHEAD_BYTES }),
      });
      pools.set(origin, pool);
    }
    return pool;
  }
}

/** Where a request goes, taken apart once. */
interface Target {
  readonly url: URL;
  readonly origin: string;
  readonly path: string;
}

function targetOf(url: URL): Target {
  return { url, origin: url.origin, path: url.pathname + url.search };
}

type Redirect = (exchange: Exchange, location: string) => boolean;

interface AnswerDeadlines {
  /** Until an answer has begun, and from then until it has ended. */
  readonly answer: Deadlines;
  /** From one byte of a stream to the next. */
  readonly silence: Deadlines;
}

/** One request under way, as undici reports it. */
class Exchange extends Timed implements UpstreamCall, Dispatcher.DispatchHandler {
  readonly request: UpstreamRequest;
  aborted = false;
  redirects = 0;
  /** Where it went last. */
  target!: Target;
  readonly #sink: AnswerSink;
  readonly #maxBytes: number;
  readonly #deadlines: AnswerDeadlines;
  readonly #credential: Credential;
  readonly #redirect: Redirect;
  #bytes = 0;
  #begun = false;
  #bounded = true;
  /** Answered with a redirect that is followed: nothing more of it counts. */
  #left: Dispatcher.DispatchController | undefined;
  #ended = false;
  #controller: Dispatcher.DispatchController | undefined;

  constructor(
    request: UpstreamRequest,
    sink: AnswerSink,
    { maxAnswerBytes }: HttpUpstreamOptions,
    deadlines: AnswerDeadlines,
    credential: Credential,
    redirect: Redirect,
  ) {
    super();
    this.request = request;
    this.#sink = sink;
    this.#maxBytes = maxAnswerBytes;
    this.#deadlines = deadlines;
    this.#credential = credential;
    this.#redirect = redirect;
  }

  abort(): void {
    this.aborted = true;
    this.#deadline.remove(this);
    this.#controller?.abort(new Error('the caller has gone away'));
  }

  resume(): void {
    if (!this.#bounded && !this.#ended && !this.aborted) this.#waitOn();
    this.#controller?.resume();
  }

  fail(error: unknown): void {
    if (this.#ended || this.aborted) return;
    this.#ended = true;
    this.#deadline.remove(this);
    this.#sink.fail(upstreamErrorOf(error));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.aborted) controller.abort(new Error('the caller has gone away'));
    // It may have waited for a free connection as long as for its answer.
    else this.#waitOn();
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    if ((status === 307 || status === 308) && this.#redirect(this, headers.location ?? '')) {
      this.#left = controller;
      controller.abort(new Error('redirected'));
      return;
    }
    if (status === 401) this.#credential.rejected();
    this.#begun = true;
    this.#bounded = !headers['content-type']?.startsWith('text/event-stream');
    this.#deadlines.answer.remove(this);
    this.#waitOn();
    this.#sink.begin(status, headers);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (controller === this.#left || this.#ended || this.aborted) return;
    this.#bytes += chunk.length;
    if (!this.#bounded) this.#waitOn();
    if (this.#bounded && this.#bytes > this.#maxBytes) {
      this.fail(new UpstreamError('answer', 'The answer of the server is larger than this gateway passes on.'));
      controller.abort(new Error('too large'));
      return;
    }
    if (this.#sink.data(chunk)) return;
    controller.pause();
    // Nobody knows whether a server is silent that is not listened to.
    if (!this.#bounded) this.#deadline.remove(this);
  }

  onResponseEnd(controller: Dispatcher.DispatchController): void {
    if (controller === this.#left || this.#ended || this.aborted) return;
    this.#ended = true;
    this.#deadline.remove(this);
    this.#sink.end();
  }

  expire(): void {
    this.fail(new UpstreamError('timeout', this.#overdue));
    this.abort();
  }

  get #overdue(): string {
    if (!this.#begun) return 'The server did not answer in time.';
    return this.#bounded ? 'The answer of the server did not end in time.' : 'The answer of the server stood still.';
  }

  get #deadline(): Deadlines {
    return this.#bounded ? this.#deadlines.answer : this.#deadlines.silence;
  }

  /** From now on, for as long as its kind of answer may take. */
  #waitOn(): void {
    this.#deadline.remove(this);
    this.#deadline.add(this);
  }

  onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#left === undefined || controller !== this.#left) this.fail(error);
  }
}

function upstreamErrorOf(error: unknown): UpstreamError {
  if (error instanceof UpstreamError) return error;
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? '';
  if (
    code.startsWith('HPE_') ||
    code === 'UND_ERR_HEADERS_OVERFLOW' ||
    code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'
  ) {
    return new UpstreamError('answer', 'The server did not answer in HTTP.');
  }
  const { fault, message } = error instanceof OutboundError ? error : connectionErrorOf(error);
  return new UpstreamError(fault === 'timeout' || fault === 'refused' ? fault : 'connection', message);
}
