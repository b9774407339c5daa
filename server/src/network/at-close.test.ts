import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { atClose } from './at-close.ts';

test('all who wait for the end of an answer are called once, in order, also when its client leaves', async () => {
  const called: string[] = [];
  const server = createServer((request, response) => {
    const name = request.url ?? '';
    for (const part of ['first', 'second']) atClose(response, () => called.push(`${name} ${part}`));
    if (name === '/answered') response.end('done');
    else response.write('a part');
    response.once('close', () => server.emit('answer closed'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const ask = (path: string) => get({ port: (server.address() as AddressInfo).port, path, agent: false });
  const answered = once(server, 'answer closed');
  ask('/answered').on('response', (response) => response.resume());
  await answered;
  const left = once(server, 'answer closed');
  const leaving = ask('/left').on('response', () => leaving.destroy());
  await left;
  server.close();
  assert.deepEqual(called, ['/answered first', '/answered second', '/left first', '/left second']);
});
