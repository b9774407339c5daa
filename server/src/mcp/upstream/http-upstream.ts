/**
 * An upstream over HTTP: connections are kept and reused, bodies stream in both directions with back-pressure, and
 * every connection passes the guard. Redirects that keep the method are followed, each checked like the first address.
 */
import type { ConnectionOptions } from 'node:tls';
import type { Dispatcher } from 'undici';
import { ForeignSource } from '../../fairness/foreign-work/paced-reader.ts';
import { checkUrl, guardedConnector, type TargetPolicy } from '../../outbound/guard.ts';
import { Deadlines } from './deadlines.ts';
import { type AnswerDeadlines, type Following, HttpCall, type Target, upstreamErrorOf } from './http-call.ts';
import { isRead } from './reads.ts';
import {
  type AnswerSink,
  type Credential,
  type Upstream,
  type UpstreamCall,
  UpstreamError,
  type UpstreamRequest,
} from './upstream.ts';

type Undici = typeof import('undici');

interface HttpUpstreamOptions extends TargetPolicy {
  /** Options of TLS, for another process of this installation. */
  readonly tls?: ConnectionOptions | undefined;
  /** A socket that leads to the upstream, regardless of its address. */
  readonly socketPath?: string | undefined;
  /**
   * Seconds until a connection is free, from then until the answer has begun, and from then until it has ended, unless
   * it is an event stream.
   */
  readonly answerSeconds: number;
  /** Seconds after which a read without an answer is sent again; 10 by default. */
  readonly silentSeconds?: number;
  /** Connections for requests, 512 by default; streams that stay open have others. */
  readonly connections?: number;
  /** Headers of every request, in addition to its credential. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Limit of one answer that is not an event stream, 256 MB by default. A stream has no such limit, because it is not stored.
   */
  readonly maxAnswerBytes?: number;
}

/** A credential with the same headers for each request. */
export function fixedCredential(headers: Readonly<Record<string, string>>): Credential {
  return { names: Object.keys(headers), headers: () => headers, rejected: () => false };
}

const CONNECTIONS = 512;
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;
const MAX_REDIRECTS = 3;
/** Many servers drop a connection after five idle seconds, so one is not reused after this time. */
const KEEP_ALIVE_MILLISECONDS = 4000;
/** A read without an answer for this long is sent again on a new connection. */
const SILENT_SECONDS = 10;
/** Bytes read ahead for a slow reader; one system read of 64 kB may be added. */
const READ_AHEAD_BYTES = 16 * 1024;
/** A stream without a byte, not even of a comment, for this long counts as broken. */
const SILENT_STREAM_SECONDS = 600;

export class HttpUpstream implements Upstream {
  readonly #undici: Undici;
  readonly #target: Target;
  readonly #options: HttpUpstreamOptions;
  readonly #credential: Credential;
  readonly #deadlines: AnswerDeadlines;
  readonly #source = new ForeignSource();
  #closed = false;
  readonly #pools = {
    requests: new Map<string, Dispatcher>(),
    streams: new Map<string, Dispatcher>(),
    repeats: new Map<string, Dispatcher>(),
  };

  private constructor(undici: Undici, url: URL, options: HttpUpstreamOptions, credential: Credential) {
    this.#undici = undici;
    this.#target = targetOf(url);
    this.#options = options;
    const { answerSeconds, socketPath, silentSeconds = SILENT_SECONDS } = options;
    // No device between this server and a socket of its machine drops a connection.
    const silent = socketPath === undefined && answerSeconds > 2 * silentSeconds ? silentSeconds : 0;
    this.#deadlines = {
      silent: silent > 0 ? new Deadlines(silent) : undefined,
      begin: new Deadlines(answerSeconds - silent),
      answer: new Deadlines(answerSeconds),
      silence: new Deadlines(SILENT_STREAM_SECONDS),
    };
    this.#credential = credential;
  }

  /** undici takes 6 MB and is loaded with the first upstream. */
  static async open(url: URL, options: HttpUpstreamOptions, credential = fixedCredential({})): Promise<HttpUpstream> {
    try {
      checkUrl(url, options);
    } catch (error) {
      throw upstreamErrorOf(error);
    }
    return new HttpUpstream(await import('undici'), url, options, credential);
  }

  send(request: UpstreamRequest, sink: AnswerSink): UpstreamCall {
    const call = new HttpCall(
      request,
      sink,
      this.#options.maxAnswerBytes ?? MAX_ANSWER_BYTES,
      this.#deadlines,
      this.#following,
      this.#source,
    );
    this.#authorize(call);
    return call;
  }

  /** Ends open requests. */
  async close(): Promise<void> {
    this.#closed = true;
    const { silent, begin, answer, silence } = this.#deadlines;
    for (const deadlines of [silent, begin, answer, silence]) deadlines?.close();
    const pools = Object.values(this.#pools).flatMap((pools) => [...pools.values()]);
    await Promise.all(pools.map((pool) => pool.destroy()));
  }

  #credentialOf({ request }: HttpCall): Credential {
    return request.credential ?? this.#credential;
  }

  #authorize(call: HttpCall): void {
    try {
      const credential = this.#credentialOf(call).headers();
      if (credential instanceof Promise) {
        call.tried = true;
        credential.then(
          (headers) => this.#begin(call, headers),
          (error) => call.fail(error),
        );
      } else this.#begin(call, credential);
    } catch (error) {
      call.fail(error);
    }
  }

  #begin(call: HttpCall, credential: Readonly<Record<string, string>>): void {
    if (call.aborted) return;
    if (this.#closed) {
      call.fail(new UpstreamError('connection', 'The connection to the server has been closed.'));
      return;
    }
    const headers = call.request.headers as Record<string, string>;
    const { headers: own } = this.#options;
    for (const name in own) headers[name] = own[name]!;
    for (const name in credential) headers[name] = credential[name]!;
    call.waitOn();
    call.dispatching = true;
    this.#dispatch(call, this.#target, headers);
    call.dispatching = false;
  }

  #dispatch(call: HttpCall, target: Target, headers: Record<string, string>): void {
    if (call.aborted) return;
    call.target = target;
    call.sent = headers;
    const { method, body } = call.request;
    const pool = this.#pool(target.origin, call.repeated ? 'repeats' : method === 'GET' ? 'streams' : 'requests');
    pool.dispatch({ path: target.path, method, headers, body }, call);
  }

  readonly #following: Following = {
    /** Follows a redirect, or repeats the request with another credential. */
    elsewhere: (call, status, location) => {
      if (status === 307 || status === 308) return this.#redirect(call, location);
      return status === 401 && this.#renew(call);
    },
    /** Only for reads, because it is unknown whether the server has processed the request. */
    again: (call) => {
      if (this.#closed || !isRead(call.request)) return false;
      call.repeated = true;
      queueMicrotask(() => this.#dispatch(call, call.target, call.sent));
      return true;
    },
  };

  /** Repeats once; a credential that was fetched for this request is not replaced again. */
  #renew(call: HttpCall): boolean {
    if (call.target.origin !== this.#target.origin) return false;
    if (!this.#credentialOf(call).rejected(call.request.headers) || call.tried) return false;
    call.tried = true;
    call.untimed();
    queueMicrotask(() => this.#authorize(call));
    return true;
  }

  /** Another origin gets the message, but never the stored credential. */
  #redirect(call: HttpCall, location: string): boolean {
    const url = URL.parse(location, call.target.url);
    if (!url || call.redirects === MAX_REDIRECTS) return false;
    // With `mayBeOwn` the address leads to one program of this server, and a redirect must not reach another one.
    if (this.#options.mayBeOwn && url.origin !== this.#target.origin) return false;
    call.redirects += 1;
    queueMicrotask(() => {
      try {
        checkUrl(url, this.#options);
        const target = targetOf(url);
        const headers = { ...call.request.headers };
        if (target.origin !== this.#target.origin)
          for (const name of this.#credentialOf(call).names) delete headers[name];
        this.#dispatch(call, target, headers);
      } catch (error) {
        call.fail(error);
      }
    });
    return true;
  }

  #pool(origin: string, use: 'requests' | 'streams' | 'repeats'): Dispatcher {
    const pools = this.#pools[use];
    let pool = pools.get(origin);
    if (!pool) {
      pool = new this.#undici.Pool(origin, {
        connections: use === 'requests' ? (this.#options.connections ?? CONNECTIONS) : null,
        // Without pipelining, each request has a connection of its own.
        pipelining: use === 'repeats' ? 0 : 1,
        // The deadlines of this file apply instead, for all connections together.
        headersTimeout: 0,
        bodyTimeout: 0,
        keepAliveTimeout: KEEP_ALIVE_MILLISECONDS,
        connect: {
          ...guardedConnector(new URL(origin), { ...this.#options, readAheadBytes: READ_AHEAD_BYTES }),
          ...(this.#options.socketPath !== undefined && { socketPath: this.#options.socketPath }),
          ...this.#options.tls,
        },
      });
      pools.set(origin, pool);
    }
    return pool;
  }
}

function targetOf(url: URL): Target {
  return { url, origin: url.origin, path: url.pathname + url.search };
}
