/**
 * Hands each accepted connection to the process with the fewest. A connection stays open here until the process says that
 * it has it, so none is lost when a process ends on the way: nothing was read from it, and another process gets it.
 */
import type { Socket } from 'node:net';
import { guarded } from '../watching/background.ts';

/** Connections on their way to one process. Its channel takes one after the other. */
const MOST_ON_THE_WAY = 32;
/** A process that has taken none of them for this long is busy or frozen; others are served first. */
const STALLED_MILLISECONDS = 500;
/** Connections that wait for a process. One beyond that is closed at once. */
const MOST_WAITING = 4096;
/** A process starts in this time, after all have ended at once. */
const WAIT_MILLISECONDS = 10_000;
const LOOK_MILLISECONDS = 100;

/** A process, as far as it takes connections. */
export interface Taker {
  /** Sends a connection; a failure shows as the end of the process. */
  hand(id: number, socket: Socket): void;
}

interface Connection {
  readonly socket: Socket;
  /** Call it when the connection has ended. */
  readonly ended: () => void;
}

interface OnTheWay extends Connection {
  readonly since: number;
}

interface Waiting extends Connection {
  readonly until: number;
}

/** The connections of one process. */
class Load {
  readonly taker: Taker;
  /** The ends of connections that it has taken. */
  readonly open = new Map<number, () => void>();
  readonly onTheWay = new Map<number, OnTheWay>();
  isLeaving = false;

  constructor(taker: Taker) {
    this.taker = taker;
  }

  get count(): number {
    return this.open.size + this.onTheWay.size;
  }

  isStalled(now: number): boolean {
    const [oldest] = this.onTheWay.values();
    return oldest !== undefined && now - oldest.since > STALLED_MILLISECONDS;
  }
}

export class Dispatcher {
  readonly #loads = new Map<Taker, Load>();
  readonly #waiting: Waiting[] = [];
  readonly #look: NodeJS.Timeout;
  readonly #now: () => number;
  #lastId = 0;

  /** `now` is a clock in milliseconds. */
  constructor(now = () => performance.now()) {
    this.#now = now;
    this.#look = setInterval(
      guarded('connections that wait for a process', () => this.#handOut()),
      LOOK_MILLISECONDS,
    ).unref();
  }

  /** Hands on a connection from which nothing was read. `ended` is called when it has ended. */
  accept(socket: Socket, ended: () => void): void {
    if (this.#waiting.length >= MOST_WAITING) {
      refuse({ socket, ended });
      return;
    }
    this.#waiting.push({ socket, ended, until: this.#now() + WAIT_MILLISECONDS });
    this.#handOut();
  }

  /** The process takes connections from now on. */
  join(taker: Taker): void {
    this.#loads.set(taker, new Load(taker));
    this.#handOut();
  }

  /** No connection goes to the process any more. Those that it has, and those on their way, stay there. */
  leave(taker: Taker): void {
    const load = this.#loads.get(taker);
    if (load) load.isLeaving = true;
  }

  /** The process has the connection. */
  taken(taker: Taker, id: number): void {
    const load = this.#loads.get(taker);
    const handed = load?.onTheWay.get(id);
    if (!load || !handed) return;
    load.onTheWay.delete(id);
    load.open.set(id, handed.ended);
    // The process has a descriptor of its own, so this ends the copy of the supervisor only.
    handed.socket.destroy();
    this.#handOut();
  }

  closed(taker: Taker, ids: readonly number[]): void {
    const load = this.#loads.get(taker);
    for (const id of ids) {
      load?.open.get(id)?.();
      load?.open.delete(id);
    }
  }

  /** The process has ended. Connections that it had not taken go to others. */
  gone(taker: Taker): void {
    const load = this.#loads.get(taker);
    if (!load) return;
    this.#loads.delete(taker);
    for (const ended of load.open.values()) ended();
    const until = this.#now() + WAIT_MILLISECONDS;
    this.#waiting.unshift(...[...load.onTheWay.values()].map((connection) => ({ ...connection, until })));
    this.#handOut();
  }

  /** The number of connections of each process that takes more. */
  counts(): number[] {
    return [...this.#loads.values()].filter(({ isLeaving }) => !isLeaving).map(({ count }) => count);
  }

  /** Closes the connections that wait. */
  close(): void {
    clearInterval(this.#look);
    for (const connection of this.#waiting.splice(0)) refuse(connection);
  }

  #handOut(): void {
    const now = this.#now();
    while (this.#waiting.length > 0) {
      const { socket, ended, until } = this.#waiting[0]!;
      if (socket.destroyed || until <= now) {
        this.#waiting.shift();
        refuse({ socket, ended });
        continue;
      }
      const load = this.#next(now);
      if (!load) return;
      this.#waiting.shift();
      const id = ++this.#lastId;
      load.onTheWay.set(id, { socket, ended, since: now });
      load.taker.hand(id, socket);
    }
  }

  /** The one with the fewest connections; undefined if it has enough on their way, so that the others keep their share. */
  #next(now: number): Load | undefined {
    let next: Load | undefined;
    for (const load of this.#loads.values()) {
      if (load.isLeaving || load.isStalled(now)) continue;
      if (!next || load.count < next.count) next = load;
    }
    return next && next.onTheWay.size < MOST_ON_THE_WAY ? next : undefined;
  }
}

function refuse({ socket, ended }: Connection): void {
  socket.destroy();
  ended();
}
