/** The end of the channel to the supervisor, in a process that serves. */
import type { Socket } from 'node:net';
import { guarded } from '../watching/background.ts';
import type { ToServing, ToSupervisor } from './messages.ts';
import {
  type HostPlace,
  PROTOCOL,
  type Question,
  type Questions,
  type Ready,
  type SentMetric,
  type Start,
} from './messages.ts';

/** Messages that wait for the supervisor. News beyond it are left out: they only say that there is something to read. */
const MOST_WAITING = 1000;

/** The requests of the supervisor. */
interface Orders {
  connection(id: number, socket: Socket): void;
  lead(): void;
  unready(): void;
  drain(): Promise<void>;
  measure(): Promise<readonly SentMetric[]>;
  news(origin: string, tables: readonly string[]): void;
  /** The supervisor is gone. */
  lost(): void;
}

interface Waiting {
  resolve(value: never): void;
  reject(error: Error): void;
}

export class SupervisorLink {
  #orders: Partial<Orders> = {};
  readonly #waiting = new Map<number, Waiting>();
  #lastCall = 0;
  #unsent = 0;
  #closed: number[] = [];
  /** Orders that came before somebody took them. */
  readonly #early: (() => void)[] = [];

  /** Resolves with the first message of the supervisor. */
  start(): Promise<Start> {
    return new Promise((resolve, reject) => {
      process.on(
        'message',
        guarded('a message of the supervisor', (message: ToServing, socket?: Socket) => {
          if (message.kind !== 'start') this.#receive(message, socket);
          else if (message.protocol === PROTOCOL) resolve(message);
          else reject(new Error('The supervisor is of another version. Restart the service.'));
        }),
      );
    });
  }

  /** Sets who follows the orders. Those that have come already are followed now. */
  follow(orders: Partial<Orders>): void {
    this.#orders = { ...this.#orders, ...orders };
    for (const early of this.#early.splice(0)) early();
  }

  whenLost(lost: () => void): void {
    process.once('disconnect', guarded('the end of the supervisor', lost));
    if (!process.connected) lost();
  }

  ready(ready: Ready): void {
    this.#send({ kind: 'ready', ready });
  }

  /** Resolves when the supervisor has it, or is gone. */
  refuse(problem: string): Promise<void> {
    return new Promise((resolve) => {
      if (!process.connected || !process.send) return resolve();
      process.send({ kind: 'refused', problem } satisfies ToSupervisor, () => resolve());
    });
  }

  /** Tells the last values of the metrics. */
  measured(metrics: readonly SentMetric[]): void {
    this.#send({ kind: 'measured', call: 0, metrics });
  }

  faulted(): void {
    this.#send({ kind: 'faulted' });
  }

  tellNews(origin: string, tables: readonly string[]): void {
    if (this.#unsent < MOST_WAITING) this.#send({ kind: 'news', origin, tables });
  }

  host(given: Questions['host']['given']): Promise<HostPlace> {
    return this.#ask({ name: 'host', given });
  }

  endsHost(): Promise<boolean> {
    return this.#ask({ name: 'endsHost', given: null });
  }

  /** Counts the ends of this turn together. */
  closedConnection(id: number): void {
    this.#closed.push(id);
    if (this.#closed.length > 1) return;
    setImmediate(guarded('the ends of connections', () => this.#send({ kind: 'closed', ids: this.#closed.splice(0) })));
  }

  #ask<Name extends keyof Questions>(question: Extract<Question, { name: Name }>): Promise<Questions[Name]['answer']> {
    if (!process.connected) return Promise.reject(new Error('The supervisor is gone.'));
    const call = ++this.#lastCall;
    return new Promise((resolve, reject) => {
      this.#waiting.set(call, { resolve, reject });
      this.#send({ kind: 'ask', call, question });
    });
  }

  #receive(message: Exclude<ToServing, Start>, socket: Socket | undefined): void {
    switch (message.kind) {
      case 'connection':
        this.#connected(message.id, socket);
        break;
      case 'lead':
      case 'unready':
      case 'drain':
        this.#order(message.kind, (act) => act());
        break;
      case 'news':
        this.#orders.news?.(message.origin, message.tables);
        break;
      case 'measure':
        this.#order('measure', async (measure) => {
          const { call } = message;
          this.#send({ kind: 'measured', call, metrics: await measure().catch(() => []) });
        });
        break;
      case 'ping':
        this.#send({ kind: 'pong' });
        break;
      case 'answer': {
        const waiting = this.#waiting.get(message.call);
        this.#waiting.delete(message.call);
        if (message.problem === undefined) waiting?.resolve(message.value as never);
        else waiting?.reject(new Error(message.problem));
        break;
      }
    }
  }

  #connected(id: number, socket: Socket | undefined): void {
    this.#send({ kind: 'taken', id });
    // It arrives without a socket if the client has closed it on the way.
    if (socket) this.#order('connection', (take) => take(id, socket));
    else this.closedConnection(id);
  }

  #order<Name extends keyof Orders>(name: Name, act: (order: NonNullable<Orders[Name]>) => unknown): void {
    const order = this.#orders[name];
    if (order) act(order as NonNullable<Orders[Name]>);
    else this.#early.push(guarded('an order of the supervisor', () => this.#order(name, act)));
  }

  #send(message: ToSupervisor): void {
    if (!process.connected || !process.send) return;
    this.#unsent++;
    process.send(message, () => {
      this.#unsent--;
    });
  }
}
