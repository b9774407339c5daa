/** A connection that sends exactly the bytes that a test writes, valid or not, and keeps the answer. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const MAX_ANSWER = 100_000;
/** For what must come: it ends a test that hangs. */
const PATIENCE_MILLISECONDS = 60_000;
const CHUNK = Buffer.alloc(64 * 1024, 'x');

export class RawConnection {
  readonly socket: Socket;
  /** Milliseconds from the handshake of TCP to closing, by whichever side; undefined while it is open. */
  closedAfter: number | undefined;
  #answer = '';
  #began = performance.now();

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.on('error', () => {});
    this.socket.once('connect', () => {
      this.#began = performance.now();
    });
    this.socket.on('data', (part: Buffer) => {
      if (this.#answer.length < MAX_ANSWER) this.#answer += part.toString('latin1');
    });
    this.socket.on('close', () => {
      this.closedAfter = performance.now() - this.#began;
    });
  }

  /** The whole answer, up to 100,000 characters. */
  get answer(): string {
    return this.#answer;
  }

  /** Status of the first answer; 0 before it arrives. */
  get status(): number {
    return Number(/^HTTP\/1\.1 (\d{3})/.exec(this.#answer)?.[1] ?? 0);
  }

  /** Resolves once the connection is made. */
  async opened(): Promise<void> {
    if (this.socket.connecting) await once(this.socket, 'connect');
  }

  write(text: string | Buffer): void {
    if (this.socket.writable) this.socket.write(text);
  }

  /** Sends `bytes` as fast as the server takes them, until it closes; returns the number of sent bytes. */
  async flood(bytes: number): Promise<number> {
    let sent = 0;
    while (sent < bytes && this.socket.writable) {
      const chunk = CHUNK.subarray(0, bytes - sent);
      sent += chunk.length;
      if (this.socket.write(chunk)) continue;
      await new Promise<void>((resolve) => {
        const go = () => {
          this.socket.off('drain', go).off('close', go);
          resolve();
        };
        this.socket.on('drain', go).on('close', go);
      });
    }
    return sent;
  }

  /**
   * Resolves with true once an answer begins, with false when it is closed without one or `milliseconds` have passed.
   */
  async answered(milliseconds = PATIENCE_MILLISECONDS): Promise<boolean> {
    const patience = AbortSignal.timeout(milliseconds);
    while (this.status === 0 && !this.socket.destroyed && !patience.aborted) {
      const either = new AbortController();
      const signal = AbortSignal.any([patience, either.signal]);
      const events = [once(this.socket, 'data', { signal }), once(this.socket, 'close', { signal })];
      await Promise.race(events).catch(() => {});
      either.abort();
      await Promise.allSettled(events);
    }
    return this.status !== 0;
  }

  /** Resolves once it is closed, or after `milliseconds`. */
  async ended(milliseconds = PATIENCE_MILLISECONDS): Promise<void> {
    if (this.socket.destroyed) return;
    await once(this.socket, 'close', { signal: AbortSignal.timeout(milliseconds) }).catch(() => {});
  }

  destroy(): void {
    this.socket.destroy();
  }
}

/** The head of a request, with an empty line at its end. */
export function headOf(method: string, path: string, headers: Readonly<Record<string, string | number>> = {}): string {
  const lines = Object.entries({ Host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}
