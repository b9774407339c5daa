/** Two ends of a channel in one process, over a real socket. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { describe, test } from 'node:test';
// biome-ignore lint/correctness/noUndeclaredDependencies: a tool of the whole repository, declared at its root
import fc from 'fast-check';
import { until } from '../../../../test/support/until.ts';
import { Channel, type ChannelOptions } from './channel.ts';
import type { Incoming, Outgoing } from './streams.ts';

/** More than may be on the way, and what the sockets of the system hold. */
const MOST_ON_THE_WAY = 4_000_000;

function optionsOf(firstCall: 0 | 1, opened: ChannelOptions['opened']): ChannelOptions {
  return {
    firstCall,
    opened,
    asked: async (_method, given) => given,
    told: () => {},
    faultOf: (error) => ({ kind: 'Error', message: String(error) }),
    errorOf: ({ message }) => new Error(message),
    closed: () => {},
  };
}

async function ends(opened: ChannelOptions['opened']) {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const [[accepted], connected] = await Promise.all([
    once(server, 'connection') as Promise<[Socket]>,
    new Promise<Socket>((resolve) => {
      const socket = connect((server.address() as { port: number }).port, '127.0.0.1', () => resolve(socket));
    }),
  ]);
  const answering = new Channel(accepted, optionsOf(0, opened));
  const asking = new Channel(
    connected,
    optionsOf(1, () => {}),
  );
  return {
    asking,
    close: () => {
      asking.close();
      answering.close();
      server.close();
    },
  };
}

/** Sends `body` and returns what comes back. */
function exchanged(channel: Channel, body: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    channel.open(null, body, {
      head: () => {},
      data: (piece) => pieces.push(piece) > 0,
      end: () => resolve(Buffer.concat(pieces)),
      fail: reject,
    });
  });
}

/** Sends back what comes, in pieces of other sizes. */
function echo(stream: Incoming, sizes: readonly number[]): void {
  const all: Buffer[] = [];
  stream.onData((piece) => {
    if (piece) {
      all.push(piece);
      return;
    }
    const bytes = Buffer.concat(all);
    for (let at = 0, turn = 0; at < bytes.length; turn++) {
      const size = sizes[turn % sizes.length] ?? 1;
      stream.data(bytes.subarray(at, at + size));
      at += size;
    }
    stream.end();
  });
}

describe('a channel between two processes', () => {
  test('bytes arrive whole and in order in pieces of any size, beside questions', async () => {
    let sizes: readonly number[] = [1];
    const { asking, close } = await ends((_given, stream) => echo(stream, sizes));
    await fc.assert(
      fc.asyncProperty(
        fc.nat(3_000_000),
        fc.array(fc.integer({ min: 1000, max: 400_000 }), { minLength: 1, maxLength: 5 }),
        async (length, pieces) => {
          sizes = pieces;
          const body = Buffer.from(Uint8Array.from({ length }, (_, at) => (at * 31 + (at >> 8)) & 255));
          const [answer, other, said] = await Promise.all([
            exchanged(asking, body),
            exchanged(asking, body.subarray(length / 2)),
            asking.ask('any', { length }),
          ]);
          assert.ok(answer.equals(body));
          assert.ok(other.equals(body.subarray(length / 2)));
          assert.deepEqual(said, { length });
        },
      ),
      { numRuns: 20 },
    );
    close();
  });

  test('a reader that pauses holds the writer, and gets the rest when it goes on', async () => {
    const piece = Buffer.alloc(20_000_000, 'x');
    let isDrained = false;
    const { asking, close } = await ends((_given, stream) => {
      stream.onDrain(() => {
        isDrained = true;
        stream.end();
      });
      assert.equal(stream.data(piece), false, 'it asks for a pause');
    });
    let read = 0;
    let isPaused = true;
    let call: Outgoing | undefined;
    const ended = new Promise<void>((resolve, reject) => {
      call = asking.open(null, null, {
        head: () => {},
        data: ({ length }) => {
          read += length;
          return !isPaused;
        },
        end: resolve,
        fail: reject,
      });
    });
    await until('the first bytes have come', () => read > 0);
    let before = -1;
    await until('nothing more comes', () => {
      const isStill = read === before;
      before = read;
      return isStill;
    });
    assert.ok(read < MOST_ON_THE_WAY, `${read} bytes`);
    assert.equal(isDrained, false);
    isPaused = false;
    call?.resume();
    await ended;
    assert.equal(read, piece.length);
    assert.equal(isDrained, true);
    close();
  });

  test('an answer that nobody wants any more is dropped, and others go on', async () => {
    let aborted = 0;
    const { asking, close } = await ends((given, stream) => {
      stream.onAbort(() => aborted++);
      stream.data(Buffer.alloc((given as { length: number }).length));
      stream.end();
    });
    const begun = new Promise<void>((resolve) => {
      const call = asking.open({ length: 20_000_000 }, null, {
        head: () => {},
        data: () => {
          call.abort();
          resolve();
          return true;
        },
        end: () => assert.fail('it was ended'),
        fail: () => {},
      });
    });
    await begun;
    await until('the other side knows', () => aborted === 1);
    const length = await new Promise<number>((resolve, reject) => {
      let read = 0;
      asking.open({ length: 5000 }, null, {
        head: () => {},
        data: (piece) => {
          read += piece.length;
          return true;
        },
        end: () => resolve(read),
        fail: reject,
      });
    });
    assert.equal(length, 5000);
    close();
  });
});
