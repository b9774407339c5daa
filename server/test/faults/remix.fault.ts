/** A remix over three servers under load, one of which dies and returns; and many clients with equal ids. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Client, sessionClient, startRemix, statelessClient, type TestRemix } from '../support/remix.ts';
import { count, report } from './harness.ts';

const SOURCES = ['one', 'two', 'three'] as const;
const chosen = SOURCES.map((server) => ({ server, tools: [{ name: 'echo', as: `echo_${server}` }] }));

let remix: TestRemix;
let key: string;
before(async () => {
  remix = await startRemix({ one: { tools: ['echo'] }, two: { tools: ['echo'] }, three: { tools: ['echo'] } });
  const { status, text } = await remix.save('mix', chosen);
  assert.equal(status, 201, text);
  ({ key } = await remix.gateway.member('member@example.com'));
});
after(() => remix.stop());

function clientOf(index: number): Promise<Client> | Client {
  const { gateway } = remix;
  return index % 2 === 0 ? sessionClient(gateway, 'mix', key) : statelessClient(gateway, 'mix', key);
}

/** True for the answer to exactly this call. */
async function echoes(client: Client, server: string, text: string): Promise<boolean> {
  const { status, body } = await client('tools/call', { name: `echo_${server}`, arguments: { text } }, 1);
  return status === 200 && body.id === 1 && body.result?.content?.[0]?.text === JSON.stringify({ text });
}

test('a server that dies and returns under load takes only its own calls with it', async () => {
  const clients = await Promise.all(Array.from({ length: 16 }, (_, index) => clientOf(index)));
  const calls = count(2000, 50_000);
  const dying = remix.sources['three']!;
  let sent = 0;
  let lost = 0;
  const others = async (client: Client, index: number) => {
    while (sent < calls) {
      const text = `${index} ${sent++}`;
      // It breaks off, then refuses, then answers again.
      if (sent === Math.floor(calls / 4)) dying.answerWith((_request, response) => void response.destroy());
      if (sent === Math.floor(calls / 2)) dying.answerWith((_request, response) => void response.writeHead(503).end());
      if (sent === Math.floor((calls * 3) / 4)) dying.answerWith(undefined);
      if (!(await echoes(client, sent % 2 === 0 ? 'one' : 'two', text))) lost += 1;
      if (sent % 20 === 0) await client('tools/call', { name: 'echo_three', arguments: {} });
      if (sent % 50 === 0) {
        const { body } = await client('tools/list');
        const names = body.result.tools.map(({ name }: { name: string }) => name);
        if (!names.includes('echo_one') || !names.includes('echo_two')) lost += 1;
      }
    }
  };
  await Promise.all(clients.map(others));
  assert.equal(lost, 0);
  report({
    test: '46',
    name: 'calls to the other servers of a remix that were lost',
    value: `${lost} of ${sent}`,
    limit: '0',
  });
});

test('clients with equal ids get their own answers', async () => {
  const clients = await Promise.all(Array.from({ length: count(100, 500) }, (_, index) => clientOf(index)));
  let mixed = 0;
  const one = async (client: Client, index: number) => {
    for (let round = 0; round < 4; round++) {
      for (const server of ['one', 'two'])
        if (!(await echoes(client, server, `${server} ${index} ${round}`))) mixed += 1;
    }
  };
  await Promise.all(clients.map(one));
  assert.equal(mixed, 0);
  report({
    test: '46',
    name: `mixed answers of ${clients.length} clients with equal ids`,
    value: String(mixed),
    limit: '0',
  });
});
