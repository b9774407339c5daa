import { WebSocket } from 'ws';

/**
 * Answers the pings of a socket. At most one answer waits to be sent: it also answers the earlier pings, so a client
 * that sends pings and reads nothing does not fill the memory. Source: RFC 6455, section 5.5.3.
 */
export class Pongs {
  readonly #socket: WebSocket;
  /** The latest ping without a pong. */
  #pinged: Buffer | undefined;
  #isAnswering = false;

  constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  /**
   * Sends each pong after `settled`, because a client takes it as the acknowledgement that its frames before the ping
   * are stored.
   */
  async answer(ping: Buffer, settled: () => Promise<void> | undefined): Promise<void> {
    this.#pinged = ping;
    if (this.#isAnswering) return;
    this.#isAnswering = true;
    while (this.#pinged !== undefined && this.#socket.readyState === WebSocket.OPEN) {
      const answered = this.#pinged;
      this.#pinged = undefined;
      await settled();
      await this.#send(answered);
    }
    this.#isAnswering = false;
  }

  #send(data: Buffer): Promise<void> {
    if (this.#socket.readyState !== WebSocket.OPEN) return Promise.resolve();
    // An event of its own closes a broken connection.
    return new Promise((resolve) => this.#socket.pong(data, undefined, () => resolve()));
  }
}
