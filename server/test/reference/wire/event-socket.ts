import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

/** How long a socket step waits for the server to answer or to close. */
const PATIENCE_SECONDS = 20;
/** How long a frame waits for an answer to the previous one; signing in is always answered. */
const ANSWER_MILLISECONDS = 500;
const AUTHENTICATE = '{"type":"auth","token":null}';

/**
 * The websocket `/events/in`, used the way the Prefect client does: subprotocol `prefect`, the auth exchange, then one
 * event per text frame over a connection that stays open. A closed connection is opened again by the next `send`.
 */
export class EventSocket {
  readonly #url: string;
  #socket: WebSocket | undefined;

  constructor(base: URL, path: string) {
    this.#url = socketUrl(base, path);
  }

  /** Sends the frames. Resolves with `sent`, or with the server's reaction. */
  async send(frames: readonly string[]): Promise<string> {
    if (this.#socket?.readyState !== WebSocket.OPEN) {
      const refusal = await this.#open();
      if (refusal) return refusal;
    }
    for (const frame of frames) this.#socket?.send(frame);
    return 'sent';
  }

  close(): void {
    this.#socket?.close();
  }

  async #open(): Promise<string | undefined> {
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const socket = new WebSocket(this.#url, ['prefect']);
    this.#socket = socket;
    const timer = setTimeout(() => resolve(`no auth_success within ${PATIENCE_SECONDS} s`), PATIENCE_SECONDS * 1000);
    socket.addEventListener('open', () => socket.send(AUTHENTICATE));
    socket.addEventListener('message', ({ data }) => {
      resolve(String(data).includes('auth_success') ? undefined : `first frame was ${String(data)}`);
    });
    socket.addEventListener('close', ({ code, reason }) => resolve(`closed ${code} ${reason}`.trim()));
    const refusal = await promise;
    clearTimeout(timer);
    return refusal;
  }
}

/**
 * A conversation that the server should end: sends the frames, each after an answer to the previous one or a short
 * pause, and resolves with every returned frame and with the close code and reason, or `open` when the server kept it
 * open after `listenSeconds`. A frame that arrives after the server closed the connection can discard frames that the
 * server sent before.
 */
export async function converse(
  base: URL,
  path: string,
  subprotocols: readonly string[],
  frames: readonly string[],
  listenSeconds: number,
): Promise<string> {
  const { promise: closed, resolve } = Promise.withResolvers<string>();
  const received: string[] = [];
  const socket = new WebSocket(socketUrl(base, path), [...subprotocols]);
  socket.addEventListener('message', ({ data }) => received.push(String(data)));
  socket.addEventListener('close', ({ code, reason }) => resolve(`closed ${code} ${reason}`.trim()));
  await Promise.race([once(socket, 'open'), closed]);
  for (const frame of frames) {
    if (socket.readyState !== WebSocket.OPEN) break;
    socket.send(frame);
    const patience = frame === AUTHENTICATE ? PATIENCE_SECONDS * 1000 : ANSWER_MILLISECONDS;
    await Promise.race([once(socket, 'message'), closed, delay(patience)]);
  }
  const end = await Promise.race([closed, delay(listenSeconds * 1000, 'open')]);
  socket.close();
  return [...received, end].join('\n');
}

function socketUrl(base: URL, path: string): string {
  return `ws://${base.host}${base.pathname}${path}`;
}
