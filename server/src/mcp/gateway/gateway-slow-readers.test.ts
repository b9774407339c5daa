/**
 * Readers that stop in the middle of a long answer: the gateway holds the server back, and the rest arrives when they
 * continue.
 */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { callTool, send, servingUrl, startGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { startWatchedUpstream, type WatchedUpstream } from '../../../test/support/watched-upstream.ts';

const MEGABYTE = 1024 * 1024;
const ANSWER_BYTES = 40 * MEGABYTE;
/** Bytes that the system and the gateway may buffer for the two connections of a reader. */
const MAX_TAKEN_BYTES = 24 * MEGABYTE;

const end = `data: ${JSON.stringify({ jsonrpc: '2.0', id: 1, result: { content: [] } })}\n\n`;
const event = `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { data: 'x' } })}\n\n`;
const forms = [
  {
    name: 'a JSON answer',
    slug: 'open',
    type: 'application/json',
    parts: ['{"jsonrpc":"2.0","id":1,"result":{"content":[],"text":"', 'x'.repeat(65_536), '"}}'],
  },
  { name: 'a stream of events', slug: 'open', type: 'text/event-stream', parts: ['', event.repeat(700), end] },
  { name: 'a stream that is filtered', slug: 'narrow', type: 'text/event-stream', parts: ['', event.repeat(700), end] },
] as const;

/** Writes `chunk` as fast as it is taken until it wrote enough, and reports the number of bytes so far. */
function answerLong(response: ServerResponse, type: string, [begin, chunk, last]: readonly string[]) {
  const written = { bytes: 0 };
  const part = Buffer.from(chunk ?? '');
  response.writeHead(200, { 'content-type': type }).write(begin);
  const more = () => {
    while (written.bytes < ANSWER_BYTES) {
      written.bytes += part.length;
      if (!response.write(part)) return;
    }
    response.end(last);
  };
  response.on('drain', more);
  more();
  return written;
}

for (const { name, slug, type, parts } of forms) {
  describe(`a reader that stops in ${name}`, () => {
    let gateway: TestGateway;
    let healthy: WatchedUpstream;
    let key: string;
    let written = { bytes: 0 };
    const warnings: string[] = [];
    const note = (warning: Error) => warnings.push(warning.message);

    before(async () => {
      process.on('warning', note);
      gateway = await startGateway();
      healthy = await startWatchedUpstream();
      await gateway.register('healthy', {}, healthy.url);
      await gateway.register(slug);
      if (slug === 'narrow') await gateway.allow(slug, { capability: 'tool', pattern: 'echo', effect: 'allow' });
      key = (await gateway.member('reader@example.com')).key;
      gateway.upstream.answerWith((_request, response) => {
        written = answerLong(response, type, parts);
      });
    });
    after(async () => {
      process.off('warning', note);
      await gateway.stop();
      await healthy.stop();
    });

    const askAndStop = (): Socket => {
      const { hostname, port } = new URL(gateway.origin);
      const socket = connect({ host: hostname, port: Number(port) });
      socket.pause();
      const body = JSON.stringify(callTool('echo'));
      socket.write(
        `POST ${servingUrl(slug)} HTTP/1.1\r\nhost: localhost\r\naccept: application/json, text/event-stream\r\n` +
          `authorization: Bearer ${key}\r\ncontent-type: application/json\r\nconnection: close\r\n` +
          `content-length: ${body.length}\r\n\r\n${body}`,
      );
      return socket;
    };

    test('the server is held back, and the whole answer arrives once the reader continues', async () => {
      const socket = askAndStop();
      let last = -1;
      // Buffers of the system fill first; then no more bytes are taken.
      while (written.bytes === 0 || written.bytes !== last) {
        last = written.bytes;
        for (let turn = 0; turn < 20; turn++) {
          assert.equal((await send(gateway, 'healthy', callTool('echo'), { key })).status, 200);
        }
      }
      assert.ok(written.bytes < MAX_TAKEN_BYTES, `${written.bytes} bytes were taken for a reader that stopped`);
      let received = 0;
      let tail = '';
      socket.on('data', (part) => {
        received += part.length;
        tail = (tail + part.toString('latin1')).slice(-200);
      });
      socket.resume();
      await new Promise((resolve) => socket.once('close', resolve));
      assert.ok(written.bytes >= ANSWER_BYTES && received > written.bytes, `${received} of ${written.bytes}`);
      assert.ok(tail.includes(parts[2]), tail);
      assert.deepEqual(warnings, []);
    });
  });
}
