import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  ask,
  callTool,
  ORGANIZATION,
  openStream,
  send,
  servingUrl,
  startGateway,
  type TestGateway,
} from '../../../test/support/gateway.ts';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';

for (const database of databases) {
  describe(`limits of a server on ${database}`, () => {
    let gateway: TestGateway;
    let bob: string;
    let carol: string;
    before(async () => {
      gateway = await startGateway({ database });
      bob = (await gateway.member('bob@example.com')).key;
      carol = (await gateway.member('carol@example.com')).key;
    });
    after(() => gateway.stop());

    const limit = async (slug: string, body: object) => {
      await gateway.register(slug);
      const { status, text } = await gateway.admin.put(`${ORGANIZATION}/servers/${slug}/limits`, body);
      assert.equal(status, 200, text);
    };
    const call = (slug: string, key: string, tool = 'echo') => send(gateway, slug, callTool(tool), { key });
    const many = async (count: number, one: () => Promise<{ status: number }>) => {
      const answers = await Promise.all(Array.from({ length: count }, one));
      return answers.filter(({ status }) => status === 200).length;
    };

    test('each caller has a number of requests a minute, and then is told when to try again', async () => {
      await limit('busy', { quotas: [{ per: 'actor', requestsPerMinute: 20 }] });
      assert.equal(await many(50, () => call('busy', bob)), 20);
      const refused = await call('busy', bob);
      assert.equal(refused.status, 429);
      assert.ok(Number(refused.headers['retry-after']) > 50 && Number(refused.headers['retry-after']) <= 60);
      assert.match(refused.body.error.message, /^You may send 20 requests a minute to this server\. Try again/);
      assert.equal(refused.body.id, 1);
      assert.equal((await call('busy', carol)).status, 200);
      const note = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
      assert.equal((await send(gateway, 'busy', note, { key: bob })).status, 202, 'what is no request is not counted');
      await gateway.server.recordsWritten();
      const { body } = await gateway.admin.get(`${ORGANIZATION}/servers/busy/requests?limit=200`);
      const denied = body.items.filter(({ status }: { status: number }) => status === 429);
      assert.equal(denied.length, 31);
      assert.match(denied[0].reason, /quota/);
    });

    test('a tool has a quota of its own, which all callers share', async () => {
      await limit('tools', { quotas: [{ per: 'server', tool: 'delete_*', requestsPerMinute: 3 }] });
      const counts = [
        await many(2, () => call('tools', bob, 'delete_file')),
        await many(4, () => call('tools', carol, 'delete_file')),
        await many(5, () => call('tools', bob, 'echo')),
      ];
      assert.deepEqual(counts, [2, 1, 5]);
    });

    test('open streams count until they end', async () => {
      await limit('streams', { quotas: [{ per: 'actor', concurrentRequests: 2 }] });
      const streams = [];
      for (let index = 0; index < 2; index++) streams.push(await openStream(gateway, 'streams', { key: bob }));
      const third = await openStream(gateway, 'streams', { key: bob });
      assert.deepEqual(
        [...streams, third].map(({ status }) => status),
        [200, 200, 429],
      );
      const refused = await call('streams', bob);
      assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '1']);
      assert.equal((await call('streams', carol)).status, 200);
      streams[0]!.close();
      await streams[0]!.ended;
      let again = await call('streams', bob);
      while (again.status === 429) again = await call('streams', bob);
      assert.equal(again.status, 200);
      streams[1]!.close();
    });

    test('a larger answer is replaced by an error, whole or in a stream', async () => {
      await limit('small', { maxResultBytes: 2000 });
      const text = 'x'.repeat(5000);
      const result = { content: [{ type: 'text', text }] };
      const answer = JSON.stringify({ jsonrpc: '2.0', id: 1, result });
      for (const type of ['application/json', 'text/event-stream']) {
        gateway.upstream.answerWith((_request, response) => {
          response.writeHead(200, { 'content-type': type });
          response.end(type === 'application/json' ? answer : `data: ${answer}\n\n`);
        });
        const refused = await call('small', bob);
        assert.ok(!refused.text.includes(text), type);
        assert.match(refused.text, /larger than the 2000 bytes/, type);
      }
      gateway.upstream.answerWith(undefined);
      assert.equal((await call('small', bob)).status, 200);
      assert.equal((await send(gateway, 'small', ask('tools/list'), { key: bob })).status, 200);
    });

    test('limits that cannot hold are refused with the field', async () => {
      await gateway.register('fields');
      const wrong: [object, RegExp][] = [
        [{ quotas: [{ per: 'actor' }] }, /quotas\.0/],
        [{ quotas: [{ per: 'actor', requestsPerMinute: 0 }] }, /quotas\.0\.requestsPerMinute/],
        [{ quotas: [{ per: 'everyone', requestsPerMinute: 1 }] }, /quotas\.0\.per/],
        [{ quotas: [1, 2].map((n) => ({ per: 'actor', requestsPerMinute: n })) }, /quotas/],
        [{ quotas: [], maxResultBytes: 1 }, /maxResultBytes/],
      ];
      for (const [body, field] of wrong) {
        const answer = await gateway.admin.put(`${ORGANIZATION}/servers/fields/limits`, body);
        assert.equal(answer.status, 422, answer.text);
        assert.match(answer.body.error.details[0].field, field);
      }
      const member = await gateway.member('dora@example.com');
      assert.equal((await member.get(`${ORGANIZATION}/servers/fields/limits`)).status, 403);
    });
  });
}

const postgres = databases.filter((database) => database === 'postgres');
for (const database of postgres) {
  test('two replicas admit together what one would, within one percent', async () => {
    const gateway = await startGateway({ database });
    let second: TestServer | undefined;
    try {
      second = await startServer({
        databaseUrl: gateway.server.server.config.databaseUrl,
        config: { home: gateway.server.server.config.home, allowPrivateTargets: true },
      });
      const { key } = await gateway.member('bob@example.com');
      await gateway.register('busy');
      const quotas = [{ per: 'actor', requestsPerMinute: 400 }];
      await gateway.admin.put(`${ORGANIZATION}/servers/busy/limits`, { quotas });
      const other = new URL((await second.listen()).replace('ws', 'http')).origin;
      const given = {
        method: 'POST',
        body: JSON.stringify(callTool('echo')),
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', accept: 'application/json' },
      };
      const places = [gateway.origin, other].map((origin) => origin + servingUrl('busy'));
      let admitted = 0;
      for (let round = 0; round < 25; round++) {
        const answers = Array.from({ length: 20 }, async (_, index) => {
          const answer = await fetch(places[index % 2]!, given);
          await answer.arrayBuffer();
          return answer.status;
        });
        admitted += (await Promise.all(answers)).filter((status) => status === 200).length;
      }
      assert.ok(admitted <= 400 && admitted >= 396, `${admitted} of 400`);
    } finally {
      await second?.stop();
      await gateway.stop();
    }
  });
}
