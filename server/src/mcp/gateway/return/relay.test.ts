import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import { until } from '../../../../test/support/until.ts';
import { Relay } from './relay.ts';

const LARGE = 32 * 1024 * 1024;

test('a source waits while the reader has an earlier event to take, however small the next pieces are', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const reader = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  t.after(() => reader.destroy());
  reader.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
  const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
  let resumed = 0;
  const relay = new Relay(
    response,
    {
      ...{ requestId: 'a', id: undefined, untouched: false, filter: undefined, rewrite: undefined, stream: true },
      headersOf: () => ({ 'content-type': 'text/event-stream' }),
    },
    { streaming: () => {}, finished: () => {} },
  );
  const call = { abort: () => {}, resume: () => (resumed += 1) };
  relay.sendBy({ send: () => call }, { method: 'GET', headers: {}, body: null });
  relay.begin(200, { 'content-type': 'text/event-stream' });
  const event = Buffer.alloc(LARGE / 2, 'x').fill('data: ', 0, 6);
  assert.equal(relay.data(event), true, 'it is not complete');
  assert.equal(relay.data(Buffer.from('\n\n')), false);
  for (let piece = 0; piece < 10; piece++) assert.equal(relay.data(Buffer.from('data: more')), false);
  assert.equal(resumed, 0);
  reader.resume();
  await until('the source to be resumed', () => resumed > 0);
  assert.equal(relay.data(Buffer.from('\n\n')), true);
  relay.close();
});
