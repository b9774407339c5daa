import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { RequestRequester } from './client-gone.ts';

const server = createServer();
before(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
after(() => server.close());

/** A request that the server has received, and its answer there. */
async function received() {
  const { port } = server.address() as AddressInfo;
  const sent = request({ port, host: '127.0.0.1' }).on('error', () => {});
  const arrived = once(server, 'request');
  sent.end();
  const [, response] = (await arrived) as [unknown, ServerResponse];
  return { sent, response };
}

test('the signal of a request aborts when its client leaves, also before anyone asked for it', async () => {
  const { sent, response } = await received();
  const asked = new RequestRequester(response, 'someone');
  const notYetAsked = new RequestRequester(response, 'someone');
  assert.equal(asked.signal.aborted, false);
  sent.destroy();
  await once(response, 'close');
  assert.equal(asked.signal.aborted, true);
  assert.equal(notYetAsked.signal.aborted, true);
});

test('the signal does not abort when the client has its answer', async () => {
  const { sent, response } = await received();
  const requester = new RequestRequester(response, 'someone');
  assert.equal(requester.signal.aborted, false);
  sent.on('response', (answer) => answer.resume());
  response.end('done');
  await once(response, 'close');
  assert.equal(requester.signal.aborted, false);
  assert.equal(new RequestRequester(response, 'someone').signal.aborted, false);
});
