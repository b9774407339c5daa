/**
 * A thread of clients that ask again as soon as they have an answer, and read no more of an answer than they must: they share
 * the processors of the server. Answers each order with the statuses that came back.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { headOf } from '../support/raw-connection.ts';

export interface FloodOrder {
  /** Clients that ask; the connections of the others stay open and idle. */
  readonly clients: number;
  /** Time that counts. It begins a second after the first request. */
  readonly seconds: number;
}

export interface Flooded {
  /** How often each status came; under `cut`, connections that ended without an answer. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Answers 503 or 429 without Retry-After. */
  readonly unhinted: number;
}

const SETTLE_MILLISECONDS = 1000;
const { port, path, body } = workerData as { port: number; path: string; body: string };
const request = Buffer.from(
  headOf('POST', path, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }) + body,
);

class Client {
  readonly #socket: Socket;
  readonly #note: (status: string, answer: string) => void;
  #answer = '';
  #isAsking = false;
  #goesOn = false;

  constructor(note: (status: string, answer: string) => void) {
    this.#note = note;
    this.#socket = connect(port, '127.0.0.1');
    this.#socket.setEncoding('latin1').on('data', (part: string) => this.#take(part));
    this.#socket.on('error', () => {}).on('close', () => note('cut', ''));
  }

  get connected(): Promise<unknown> {
    return this.#socket.connecting ? once(this.#socket, 'connect') : Promise.resolve();
  }

  start(): void {
    this.#goesOn = true;
    if (!this.#isAsking) this.#ask();
  }

  /** Resolves once it waits for no answer. */
  async stop(): Promise<void> {
    this.#goesOn = false;
    while (this.#isAsking && !this.#socket.destroyed) await once(this.#socket, 'data').catch(() => {});
  }

  #ask(): void {
    this.#isAsking = true;
    this.#socket.write(request);
  }

  #take(part: string): void {
    this.#answer += part;
    const head = this.#answer.indexOf('\r\n\r\n');
    const length = /content-length: (\d+)/i.exec(this.#answer)?.[1];
    if (head < 0 || this.#answer.length < head + 4 + Number(length)) return;
    this.#note(this.#answer.slice(9, 12), this.#answer);
    this.#answer = '';
    this.#isAsking = false;
    if (this.#goesOn) this.#ask();
  }
}

let isCounted = false;
let unhinted = 0;
let statuses: Record<string, number> = {};
const clients: Client[] = [];

function note(status: string, answer: string): void {
  if (!isCounted) return;
  statuses[status] = (statuses[status] ?? 0) + 1;
  if ((status === '503' || status === '429') && !/\r\nretry-after: \d/i.test(answer)) unhinted += 1;
}

parentPort?.on('message', async (order: FloodOrder) => {
  while (clients.length < order.clients) clients.push(new Client(note));
  await Promise.all(clients.map((client) => client.connected));
  statuses = {};
  unhinted = 0;
  for (const client of clients.slice(0, order.clients)) client.start();
  await delay(SETTLE_MILLISECONDS);
  isCounted = true;
  await delay(order.seconds * 1000);
  isCounted = false;
  await Promise.all(clients.map((client) => client.stop()));
  parentPort?.postMessage({ statuses, unhinted } satisfies Flooded);
});
