/**
 * Answers that stay open and send messages as they happen (server-sent events). Like a websocket, each counts for its
 * workspace and its caller, ends when its reader is too slow, and has its access checked again when any access changes.
 * Source: HTML Living Standard, section 9.2.
 */

import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { callerOf, type Server } from '../../context/context.ts';
import { TooManyRequests, Unavailable } from '../../errors.ts';
import type { UnsentBytes } from '../../fairness/unsent-bytes.ts';
import type { OpenThings } from '../../identity/access/open-things.ts';
import { guarded, inBackground } from '../../watching/background.ts';
import type { EventStream } from '../routes/route.ts';
import { type Opener, OpenPlaces } from '../sockets/open-places.ts';

/**
 * Bytes that may wait for a reader. Messages are short, and a reader that reconnects gets a message that makes it read
 * again.
 */
const MAX_UNSENT_BYTES = 256 * 1024;
/** Time that a client has to read the end of its stream. */
const END_MILLISECONDS = 500;
/** Proxies close a connection that is silent for a minute. */
const HEARTBEAT_MILLISECONDS = 20_000;
/** Time after which a browser reconnects. */
const RETRY_MILLISECONDS = 1000;
/** Time after which a refused caller may ask again. */
const RETRY_SECONDS = 1;
const HEARTBEAT = Buffer.from(':\n\n');

interface Opened extends Opener {
  /** Rejects with an ApiError when the caller has lost access to the stream. */
  readonly mayStay: () => Promise<unknown>;
}

interface OpenStream extends Opened {
  readonly response: ServerResponse;
  readonly caller: string;
}

export class EventStreams {
  readonly #open = new Set<OpenStream>();
  readonly #places: OpenPlaces;
  readonly #heartbeats: NodeJS.Timeout;
  readonly #openThings: OpenThings;
  readonly #unsent: UnsentBytes;
  #isClosing = false;

  constructor({ config, openThings, unsent }: Pick<Server, 'config' | 'openThings' | 'unsent'>) {
    this.#unsent = unsent;
    this.#places = new OpenPlaces(config);
    this.#openThings = openThings;
    this.#heartbeats = setInterval(
      guarded('the heartbeat of streams', () => this.#beat()),
      HEARTBEAT_MILLISECONDS,
    ).unref();
  }

  /**
   * Throws TooManyRequests when the caller has reached its limit of streams, and Unavailable when the workspace has, or
   * when the server stops.
   */
  begin(stream: EventStream, opened: Opened, reply: FastifyReply): FastifyReply {
    if (this.#isClosing) throw new Unavailable('The server is stopping.');
    // A client that has already left sends no `close` event later.
    if (reply.raw.destroyed) return reply.hijack();
    const leave = this.#places.take(opened);
    if (leave === 'caller') throw new TooManyRequests('You have reached your limit of open streams.', RETRY_SECONDS);
    if (leave === 'workspace') throw new Unavailable('This workspace has reached its limit of open streams.');
    reply.hijack();
    const response = reply.raw;
    response.writeHead(200, {
      ...(reply.getHeaders() as Record<string, string>),
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      // Otherwise nginx delays messages to fill its buffers.
      'x-accel-buffering': 'no',
    });
    response.write(`retry: ${RETRY_MILLISECONDS}\n\n`);
    const open = { ...opened, response, caller: callerOf(opened.actor, opened.address) };
    this.#open.add(open);
    const stop = stream.open({
      send: ({ whole }) => this.#send(open, whole),
      end: () => this.#end(open),
    });
    const forget = this.#openThings.keep({ check: opened.mayStay, end: () => this.#end(open) });
    const ended = () => {
      forget();
      this.#open.delete(open);
      leave();
      return stop();
    };
    response.once('close', guarded('the end of a stream', ended));
    return reply;
  }

  close(): void {
    this.#isClosing = true;
    clearInterval(this.#heartbeats);
    for (const { response } of this.#open) response.end();
  }

  #send({ response, workspace, caller }: OpenStream, bytes: Buffer): void {
    if (response.destroyed || response.writableEnded) return;
    const release = this.#unsent.hold(bytes, workspace, caller);
    const isBehind = response.writableLength > (release ? MAX_UNSENT_BYTES : 0);
    if (isBehind) {
      release?.();
      response.destroy();
    } else response.write(bytes, release);
  }

  #beat(): void {
    for (const stream of this.#open) {
      inBackground(
        'the heartbeat of a stream',
        () => this.#send(stream, HEARTBEAT),
        () => this.#end(stream),
      );
    }
  }

  /**
   * Sends the end of a complete answer, which a browser accepts without an error. A client that does not read does not
   * get it.
   */
  #end({ response }: OpenStream): void {
    response.end();
    setTimeout(() => response.destroy(), END_MILLISECONDS).unref();
  }
}
