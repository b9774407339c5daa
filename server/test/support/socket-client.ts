/** A websocket client that keeps the frames it received. */
import { once } from 'node:events';
import { WebSocket } from 'ws';

export interface SocketOptions {
  /** Absent: `prefect`, and it signs in. */
  readonly protocols?: readonly string[];
  readonly token?: unknown;
}

export class SocketClient {
  readonly socket: WebSocket;
  readonly #received: string[] = [];
  readonly #waiting: (() => void)[] = [];

  constructor(url: string, protocols: readonly string[], headers: Readonly<Record<string, string>> = {}) {
    this.socket = new WebSocket(url, [...protocols], { headers });
    this.socket.on('message', (data) => {
      this.#received.push(data.toString());
      this.#waiting.shift()?.();
    });
  }

  send(frame: unknown): void {
    this.socket.send(typeof frame === 'string' || Buffer.isBuffer(frame) ? frame : JSON.stringify(frame));
  }

  /** The next frame, parsed. */
  // biome-ignore lint/suspicious/noExplicitAny: what a test reads of a frame is its own assertion
  async next(): Promise<any> {
    while (this.#received.length === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return JSON.parse(this.#received.shift() ?? '');
  }

  /** Frames that have arrived and were not read. */
  get unread(): readonly string[] {
    return this.#received;
  }

  /** Resolves with the pong. */
  async ping(): Promise<void> {
    const pong = once(this.socket, 'pong');
    this.socket.ping();
    await pong;
  }

  /** How the server closed it: `1008 Expected 'auth' message`. */
  async ended(): Promise<string> {
    const [code, reason] = (await once(this.socket, 'close')) as [number, Buffer];
    return `${code} ${reason.toString()}`;
  }

  close(): void {
    this.socket.terminate();
  }
}

/** Resolves with an open socket that has signed in, or skipped that on request. Rejects when it is refused. */
export async function connect(url: string, { protocols, token = null }: SocketOptions = {}): Promise<SocketClient> {
  const client = new SocketClient(url, protocols ?? ['prefect']);
  await once(client.socket, 'open');
  if (protocols) return client;
  client.send({ type: 'auth', token });
  const answer = await client.next();
  if (answer.type !== 'auth_success') throw new Error(`not signed in: ${JSON.stringify(answer)}`);
  return client;
}

/** The status of a refused upgrade. */
export async function refusalOf(url: string, protocols: readonly string[] = ['prefect']): Promise<number> {
  const socket = new WebSocket(url, [...protocols]);
  socket.on('error', () => {});
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number }];
  socket.terminate();
  return response.statusCode;
}
