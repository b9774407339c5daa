/** The largest and most complex messages to an MCP server, many at once: other tenants do not notice. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitHere } from '../support/machine.ts';
import { count, report, sendJson } from './harness.ts';
import { startTwoTenants } from './two-tenants.ts';

const TIMES = count(2, 20);
const AT_ONCE = 4;
const LIMIT_MILLISECONDS = 200;
const BYTES = 16 * 1024 * 1024 - 1024;

const fill = (item: string, bytes = BYTES) => `${`${item},`.repeat(Math.floor(bytes / (item.length + 1)))}${item}`;
const call = (parameters: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a",${parameters}}}`;
const keys = Array.from({ length: 1_000_000 }, (_, index) => `"k${index}":1`).join();
const message = '{"jsonrpc":"2.0","method":"notifications/x"}';

const attacks: readonly (readonly [name: string, body: string, isRefused: boolean])[] = [
  ['small objects', call(`"arguments":{"a":[${fill('{"a":1}')}]}`), true],
  ['a million keys', call(`"arguments":{${keys}}`), true],
  ['a million keys beside the name', call(keys), true],
  ['a batch of small messages', `[${fill(message)}]`, true],
  ['a batch of 5,000 messages', `[${fill(message, 5000 * message.length)}]`, true],
  ['49,000 numbers and escapes', call(`"arguments":{"a":["\\u0041",${fill('1.50', 5 * 49_000)}]}`), false],
  ['one text of 16 MB', call(`"arguments":{"a":"${'x'.repeat(BYTES)}"}`), false],
  ['one text of escapes', call(`"arguments":{"a":"${'\\u0041'.repeat(BYTES / 6)}"}`), false],
  ['one key of 16 MB', call(`"${'é'.repeat(BYTES / 2)}":1`), false],
];

test('no message to an MCP server blocks the event loop for long', async () => {
  const tenants = await startTwoTenants(0, undefined, { SIGNALBOX_ALLOW_PRIVATE_TARGETS: 'true' });
  try {
    const { server, headers } = tenants;
    // No server listens there: a message that passes the gateway is answered 502 or 503.
    const external = { url: 'http://127.0.0.1:9/mcp' };
    const definition = { slug: 'a', name: 'A', kind: 'external', external, defaultRole: 'viewer' };
    const made = await sendJson('POST', `${server.api}/v0/organizations/default/servers`, definition, headers);
    assert.equal(made.status, 201, made.text);
    const ask = async (body: string) => {
      const answer = await fetch(`${server.origin}/servers/default/a/mcp`, {
        method: 'POST',
        headers: { ...headers, accept: 'application/json, text/event-stream' },
        body,
      });
      await answer.arrayBuffer();
      return answer.status;
    };
    const broken: string[] = [];
    for (const [name, body, isRefused] of attacks) {
      let least = Number.POSITIVE_INFINITY;
      let waited = 0;
      for (let time = 0; time <= TIMES; time++) {
        await server.longestTurn();
        const watch = tenants.watch();
        const seen = await Promise.all(Array.from({ length: AT_ONCE }, () => ask(body)));
        waited = (await watch.stop()).longestMilliseconds;
        const turn = await server.longestTurn();
        for (const status of seen) assert.ok(isRefused ? status === 400 : status > 500, `${name}: ${status}`);
        // The first request compiles code.
        if (time > 0) least = Math.min(least, turn);
      }
      const value = `${least.toFixed(0)} ms (another tenant waited ${waited.toFixed(0)} ms)`;
      const most = limitHere(least, LIMIT_MILLISECONDS);
      const limit = `${most.toFixed(0)} ms`;
      report({ test: '24', name: `longest turn of the event loop with ${AT_ONCE} messages of ${name}`, value, limit });
      if (least > most) broken.push(`${name}: ${value}`);
    }
    assert.deepEqual(broken, []);
  } finally {
    await tenants.dispose();
  }
});
