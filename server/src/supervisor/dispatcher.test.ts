import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { Dispatcher, type Taker } from './dispatcher.ts';

/** A process that keeps what it is handed, until it says that it has it. */
class Process implements Taker {
  readonly handed: number[] = [];
  readonly sockets = new Map<number, Socket>();

  hand(id: number, socket: Socket): void {
    this.handed.push(id);
    this.sockets.set(id, socket);
  }
}

interface Connection {
  readonly socket: Socket;
  isDestroyed: boolean;
  ends: number;
}

function begin(processes: number) {
  let now = 0;
  const dispatcher = new Dispatcher(() => now);
  const all = Array.from({ length: processes }, () => new Process());
  for (const one of all) dispatcher.join(one);
  const connect = (): Connection => {
    const connection: Connection = {
      socket: { destroyed: false, destroy: () => (connection.isDestroyed = true) } as unknown as Socket,
      isDestroyed: false,
      ends: 0,
    };
    dispatcher.accept(connection.socket, () => connection.ends++);
    return connection;
  };
  const takeAll = () => {
    for (const one of all) for (const id of one.handed.splice(0)) dispatcher.taken(one, id);
  };
  return { dispatcher, all, connect, takeAll, wait: (milliseconds: number) => (now += milliseconds) };
}

test('each connection goes to the process with the fewest', () => {
  const { dispatcher, all, connect, takeAll } = begin(3);
  for (let made = 0; made < 7; made++) connect();
  takeAll();
  assert.deepEqual(dispatcher.counts(), [3, 2, 2]);
  dispatcher.closed(all[0]!, [1, 4, 7]);
  for (let made = 0; made < 2; made++) connect();
  assert.deepEqual(dispatcher.counts(), [2, 2, 2]);
  dispatcher.close();
});

test('a burst is spread evenly, also beyond what may be on its way', () => {
  const { dispatcher, connect, takeAll } = begin(2);
  for (let made = 0; made < 500; made++) connect();
  assert.deepEqual(dispatcher.counts(), [32, 32]);
  for (let round = 0; round < 20; round++) takeAll();
  assert.deepEqual(dispatcher.counts(), [250, 250]);
  dispatcher.close();
});

test('a connection on its way to a process that ends goes to another one, and one that was taken does not', () => {
  const { dispatcher, all, connect } = begin(2);
  const [first, second] = [connect(), connect()];
  const [ends, goesOn] = all as [Process, Process];
  dispatcher.gone(ends);
  assert.deepEqual(goesOn.handed, [2, 3]);
  assert.equal(goesOn.sockets.get(3), first.socket);
  assert.deepEqual([first.ends, first.isDestroyed], [0, false]);
  dispatcher.taken(goesOn, 2);
  assert.equal(second.isDestroyed, true, 'the process has its own');
  dispatcher.gone(goesOn);
  assert.equal(second.ends, 1);
  assert.equal(first.ends, 0, 'it waits for the next process');
  dispatcher.close();
  assert.deepEqual([first.ends, first.isDestroyed], [1, true]);
});

test('without a process, connections wait for the next one, but not for ever', () => {
  const { dispatcher, connect, wait } = begin(0);
  const early = connect();
  wait(9000);
  const late = connect();
  wait(2000);
  const process = new Process();
  dispatcher.join(process);
  assert.deepEqual([early.isDestroyed, early.ends], [true, 1]);
  assert.deepEqual([process.handed.length, late.isDestroyed], [1, false]);
  dispatcher.close();
});

test('a process that takes nothing gets no more until it does, and one that leaves gets none', () => {
  const { dispatcher, all, connect, wait } = begin(2);
  const [frozen, other] = all as [Process, Process];
  connect();
  connect();
  dispatcher.taken(other, 2);
  wait(600);
  for (let made = 0; made < 5; made++) {
    connect();
    dispatcher.taken(other, other.handed.at(-1)!);
  }
  assert.equal(frozen.handed.length, 1);
  dispatcher.taken(frozen, 1);
  connect();
  assert.equal(frozen.handed.length, 2);
  dispatcher.leave(frozen);
  connect();
  assert.equal(frozen.handed.length, 2);
  dispatcher.close();
});
