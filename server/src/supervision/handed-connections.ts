/**
 * The connections of a process that does not listen itself: the supervisor accepts them and hands them on. Node's server
 * serves them like its own, and this keeps what Node does not know of such connections: when the last of them has ended.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { guarded } from '../watching/background.ts';

/** An idle connection is closed only after this long, so that a request that is on its way is still answered. */
const IDLE_MILLISECONDS = 1000;
const LOOK_MILLISECONDS = 250;

export class HandedConnections {
  readonly #open = new Set<Socket>();
  readonly #closed: (id: number) => void;
  #server: Server | undefined;
  #isEnding = false;
  #ended = () => {};

  /** `closed` is called at the end of each connection. */
  constructor(closed: (id: number) => void) {
    this.#closed = closed;
  }

  /** Serves connections by `server` from now on. */
  serve(server: Server): void {
    this.#server = server;
    // With this event, Node begins to watch the deadlines of the server's connections.
    server.emit('listening');
    server.prependListener('request', (_request, response) => {
      if (this.#isEnding) response.shouldKeepAlive = false;
    });
  }

  take(id: number, socket: Socket): void {
    this.#open.add(socket);
    const end = () => {
      this.#open.delete(socket);
      this.#closed(id);
      if (this.#isEnding && this.#open.size === 0) this.#ended();
    };
    socket.once('close', guarded('the end of a connection', end));
    // A client may close its side after a request. Sockets that a server accepts itself have this.
    socket.allowHalfOpen = true;
    this.#server?.emit('connection', socket);
  }

  /**
   * Each connection ends with its next answer, or when it has been idle. Resolves when none is open, or after
   * `milliseconds`.
   */
  async end(milliseconds: number): Promise<void> {
    this.#isEnding = true;
    if (this.#open.size === 0) return;
    let looks: NodeJS.Timeout | undefined;
    const look = guarded('the end of idle connections', () => this.#server?.closeIdleConnections());
    const begin = guarded('the first look for idle connections', () => {
      look();
      looks = setInterval(look, LOOK_MILLISECONDS);
    });
    const first = setTimeout(begin, IDLE_MILLISECONDS);
    let limit: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#ended = resolve;
      limit = setTimeout(resolve, milliseconds);
    });
    for (const timer of [first, looks, limit]) clearTimeout(timer);
  }

  /** Ends all connections now. */
  destroy(): void {
    for (const socket of this.#open) socket.destroy();
  }
}
