/**
 * Answers that stay open and send messages as they happen (server-sent events). Like a websocket, each counts for its
 * workspace, ends when its reader is too slow, and has its access checked again when any access changes.
 * Source: HTML Living Standard, section 9.2.
 */
import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { Server } from '../context.ts';
import { ApiError, Unavailable } from '../errors.ts';
import { Shares } from '../network/shares.ts';
import type { EventStream } from './route.ts';

/** Bytes that may wait for a reader. Messages are short, and a reader that reconnects gets a message to read again. */
const MAX_UNSENT_BYTES = 256 * 1024;
/** Proxies close a connection that is silent for a minute. */
const HEARTBEAT_MILLISECONDS = 20_000;
/** Time between two checks of a stream's access, in case a change of access went unnoticed. */
const RECHECK_MILLISECONDS = 30_000;
/** How long a browser waits before it connects again. */
const RETRY_MILLISECONDS = 1000;
const HEARTBEAT = ':\n\n';

interface Opened {
  readonly workspace: number;
  /** Rejects with an ApiError when the caller has lost access to the stream. */
  mayStay(): Promise<unknown>;
}

interface OpenStream extends Opened {
  readonly response: ServerResponse;
}

export class EventStreams {
  readonly #open = new Set<OpenStream>();
  readonly #ofWorkspaces: Shares;
  readonly #timers: readonly NodeJS.Timeout[];
  readonly #unwatch: () => void;
  #isClosing = false;

  constructor({ config, accessChanges }: Pick<Server, 'config' | 'accessChanges'>) {
    this.#ofWorkspaces = new Shares(Number.POSITIVE_INFINITY, config.maxSocketsOfWorkspace);
    const recheck = async () => {
      await Promise.all([...this.#open].map((stream) => this.#check(stream)));
    };
    this.#unwatch = accessChanges.watch({ isOpen: () => this.#open.size > 0, look: recheck });
    this.#timers = [
      setInterval(() => this.#beat(), HEARTBEAT_MILLISECONDS).unref(),
      setInterval(() => void recheck(), RECHECK_MILLISECONDS).unref(),
    ];
  }

  /** Throws Unavailable when the workspace has as many streams as it may, and while the server stops. */
  begin(stream: EventStream, opened: Opened, reply: FastifyReply): FastifyReply {
    const share = String(opened.workspace);
    if (this.#isClosing) throw new Unavailable('The server is stopping.');
    // A client that has left already closes nothing later.
    if (reply.raw.destroyed) return reply.hijack();
    if (!this.#ofWorkspaces.take(share)) throw new Unavailable('This workspace has as many open streams as it may.');
    reply.hijack();
    const response = reply.raw;
    response.writeHead(200, {
      ...(reply.getHeaders() as Record<string, string>),
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      // Otherwise nginx holds messages back to fill its buffers.
      'x-accel-buffering': 'no',
    });
    response.write(`retry: ${RETRY_MILLISECONDS}\n\n`);
    const open = { ...opened, response };
    this.#open.add(open);
    const stop = stream.open({ send: (data) => this.#send(open, `data: ${data}\n\n`) });
    response.once('close', () => {
      stop();
      this.#open.delete(open);
      this.#ofWorkspaces.giveBack(share);
    });
    return reply;
  }

  close(): void {
    this.#isClosing = true;
    this.#unwatch();
    for (const timer of this.#timers) clearInterval(timer);
    for (const { response } of this.#open) response.end();
  }

  #send({ response }: OpenStream, text: string): void {
    if (response.destroyed || response.writableEnded) return;
    if (response.writableLength > MAX_UNSENT_BYTES) response.destroy();
    else response.write(text);
  }

  #beat(): void {
    for (const stream of this.#open) this.#send(stream, HEARTBEAT);
  }

  async #check(stream: OpenStream): Promise<void> {
    try {
      await stream.mayStay();
    } catch (error) {
      // While the database is away, access is unknown and open streams stay open.
      if (error instanceof ApiError && error.status < 500) stream.response.destroy();
    }
  }
}
