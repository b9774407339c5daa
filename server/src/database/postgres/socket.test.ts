import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, Socket } from 'node:net';
import { test } from 'node:test';
import { socketFor } from './socket.ts';

/** A message of PostgreSQL's protocol: its kind, its length, and so many bytes. */
function message(kind: string, bytes: number): Buffer {
  const text = Buffer.alloc(5 + bytes, kind);
  text.writeUInt32BE(4 + bytes, 1);
  return text;
}

/** The kinds of the whole messages that the bytes consist of. */
function kindsOf(bytes: Buffer): string {
  let kinds = '';
  for (let at = 0; at < bytes.length; at += 1 + bytes.readUInt32BE(at + 1)) {
    const end = at + 1 + bytes.readUInt32BE(at + 1);
    assert.ok(end <= bytes.length, `a message is cut off: ${bytes.length - end}`);
    kinds += bytes.toString('latin1', at, at + 1);
    assert.ok(bytes.subarray(at + 5, end).every((byte) => byte === bytes[at]));
  }
  return kinds;
}

/** Sends the pieces one by one, each when the one before has left; resolves to what arrived at each `data`. */
async function receive(pieces: readonly Buffer[]): Promise<string[]> {
  const server = createServer(async (peer) => {
    peer.setNoDelay(true);
    for (const piece of pieces) await new Promise((resolve) => peer.write(piece, resolve));
    peer.end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = socketFor({});
  const seen: string[] = [];
  socket.on('data', (bytes: Buffer) => seen.push(kindsOf(bytes)));
  socket.connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'close');
  server.close();
  return seen;
}

function cut(bytes: Buffer, at: (index: number) => number): Buffer[] {
  const pieces: Buffer[] = [];
  for (let begin = 0; begin < bytes.length; ) {
    const end = begin + at(pieces.length);
    pieces.push(bytes.subarray(begin, end));
    begin = end;
  }
  return pieces;
}

test('the driver gets whole messages, however they arrive', async () => {
  const sent = [message('a', 0), message('b', 3), message('c', 200_000), message('d', 0), message('e', 70_000)];
  const bytes = Buffer.concat([...sent, message('f', 1)]);
  // In one piece, in single bytes at the begin of each, and cut within heads and within messages.
  for (const at of [
    () => bytes.length,
    (index: number) => (index < 20 ? 1 : 65_536),
    (index: number) => [3, 7, 40_001][index % 3]!,
  ]) {
    assert.equal((await receive(cut(bytes, at))).join(''), 'abcdef');
  }
});

test('an end within a message hands nothing on', async () => {
  const bytes = Buffer.concat([message('a', 10), message('b', 100_000)]);
  assert.equal((await receive([bytes.subarray(0, 50_000)])).join(''), 'a');
});

test('a connection with TLS has the usual socket', () => {
  const socket = socketFor({ ssl: true });
  assert.equal(socket.constructor, Socket);
  socket.destroy();
});
