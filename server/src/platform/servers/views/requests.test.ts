import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { callTool, ORGANIZATION, send, startGateway, type TestGateway } from '../../../../test/support/gateway.ts';
import type { PlatformCaller } from '../../../../test/support/platform.ts';
import { databases } from '../../../../test/support/server.ts';

interface Condition {
  readonly field: string;
  readonly not?: boolean;
  readonly values: readonly unknown[];
}

for (const database of databases) {
  describe(`requests narrowed by conditions on ${database}`, () => {
    let gateway: TestGateway;
    let member: PlatformCaller & { readonly id: string };

    before(async () => {
      gateway = await startGateway({ database });
      member = await gateway.member('member@example.com');
      await gateway.register('docs');
      await gateway.register('shop');
      await gateway.allow('docs', { role: 'viewer', capability: 'tool', pattern: 'echo', effect: 'allow' });
      await send(gateway, 'docs', callTool('echo'), { key: member.key });
      await send(gateway, 'docs', callTool('delete_file'), { key: member.key });
      await send(gateway, 'shop', callTool('echo'), { key: gateway.admin.key });
      await send(gateway, 'shop', { jsonrpc: '2.0', id: 1, method: 'tools/list' }, { key: gateway.admin.key });
      await gateway.server.recordsWritten();
    });

    after(() => gateway.stop());

    const ask = (path: string, query: Record<string, string>) =>
      gateway.admin.get(`${ORGANIZATION}/views/requests${path}?${new URLSearchParams(query)}`);
    const called = async (...where: Condition[]) => {
      const { body, status } = await ask('', { where: JSON.stringify(where) });
      assert.equal(status, 200, JSON.stringify(body));
      const { items } = body.requests;
      const { histogram } = body.summary;
      const counted = histogram.items.reduce((sum: number, one: { requests: number }) => sum + one.requests, 0);
      assert.equal(counted, items.length);
      return items.map(({ capability, method }: Record<string, unknown>) => capability ?? method).toReversed();
    };

    test('each field selects, and excludes with not', async () => {
      assert.deepEqual(await called({ field: 'tool', values: ['ECHO'] }), ['echo', 'echo']);
      assert.deepEqual(await called({ field: 'tool', values: ['del*', 'none'] }), ['delete_file']);
      assert.deepEqual(await called({ field: 'tool', not: true, values: ['echo'] }), ['delete_file', 'tools/list']);
      assert.deepEqual(await called({ field: 'server', values: ['Shop'] }), ['echo', 'tools/list']);
      assert.deepEqual(await called({ field: 'server', not: true, values: ['shop'] }), ['echo', 'delete_file']);
      assert.deepEqual(await called({ field: 'outcome', values: ['denied'] }), ['delete_file']);
      assert.deepEqual(await called({ field: 'method', values: ['tools/list'] }), ['tools/list']);
      assert.deepEqual(await called({ field: 'protocol', values: ['no'] }), ['echo', 'delete_file', 'echo']);
      assert.deepEqual(await called({ field: 'caller', values: ['Member@'] }), ['echo', 'delete_file']);
      assert.deepEqual(await called({ field: 'key_owner', values: [member.id.toUpperCase()] }), [
        'echo',
        'delete_file',
      ]);
      const both = [
        { field: 'caller', not: true, values: [member.id] },
        { field: 'protocol', values: ['no'] },
      ];
      assert.deepEqual(await called(...both), ['echo']);
    });

    test('values are counted under the conditions on other fields', async () => {
      const values = async (query: Record<string, string>) => (await ask('/values', query)).body.values;
      assert.deepEqual(await values({ field: 'tool' }), [
        { value: 'echo', label: 'echo', count: 2 },
        { value: 'delete_file', label: 'delete_file', count: 1 },
      ]);
      const where = JSON.stringify([
        { field: 'tool', values: ['delete_file'] },
        { field: 'server', values: ['docs'] },
      ]);
      assert.deepEqual(await values({ field: 'tool', text: 'ECH', where }), [
        { value: 'echo', label: 'echo', count: 1 },
      ]);
      assert.deepEqual(await values({ field: 'server', where }), [{ value: 'docs', label: 'docs', count: 1 }]);
      assert.deepEqual(await values({ field: 'caller', text: 'member' }), [
        { value: member.id, label: 'member@example.com', count: 2 },
      ]);
      assert.equal((await values({ field: 'protocol' })).length, 2);
      assert.equal((await values({ field: 'outcome', limit: '1' })).length, 1);
    });

    test('the export has the requests of the list, and no formula', async () => {
      await send(gateway, 'shop', callTool('=cmd'), { key: gateway.admin.key });
      await gateway.server.recordsWritten();
      const where = JSON.stringify([{ field: 'server', values: ['shop'] }]);
      const lines = (await ask('/export', { where, format: 'ndjson' })).text.trim().split('\n');
      assert.deepEqual(
        lines.map((line) => JSON.parse(line).method),
        ['tools/call', 'tools/list', 'tools/call'],
      );
      const csv = await ask('/export', { where });
      assert.match(String(csv.headers['content-disposition']), /requests\.csv/);
      assert.ok(csv.text.includes(",'=cmd,"), csv.text);
    });

    test('strangers, members and editors of another server see nothing of it', async () => {
      const editor = await gateway.member('editor@example.com');
      const grant = `${ORGANIZATION}/servers/docs/grants/${editor.id}`;
      assert.equal((await gateway.admin.put(grant, { role: 'editor' })).status, 204);
      const views = `${ORGANIZATION}/views/requests`;
      const shop = new URLSearchParams({ where: JSON.stringify([{ field: 'server', values: ['shop'] }]) });
      for (const caller of [editor, member]) {
        assert.deepEqual((await caller.get(`${views}?${shop}`)).body.requests.items, []);
        assert.equal((await caller.get(`${views}/export?format=ndjson&${shop}`)).text, '');
        assert.deepEqual((await caller.get(`${views}/values?field=tool&${shop}`)).body.values, []);
        assert.equal((await caller.get(`${views}/export?server=shop`)).status, 403);
        assert.equal((await caller.get(`${views}/values?field=tool&server=shop`)).status, 403);
      }
      const own = (await editor.get(`${views}/values?field=server`)).body.values;
      assert.deepEqual(
        own.map(({ value }: { value: string }) => value),
        ['docs'],
      );
    });

    test('the largest conditions are answered', async () => {
      const where = JSON.stringify(
        Array.from({ length: 20 }, (_, index) => ({
          field: ['tool', 'caller', 'client', 'method'][index % 4],
          not: index > 3,
          values: Array.from({ length: 50 }, (_, value) => `${value}%*`),
        })),
      );
      assert.equal((await ask('', { where })).status, 200);
      assert.equal((await ask('/values', { field: 'outcome', where })).status, 200);
    });

    test('a condition that is not one is refused, and named', async () => {
      const fault = async (where: string) => {
        const { status, body } = await ask('', { where });
        assert.equal(status, 422);
        return JSON.stringify(body);
      };
      assert.match(await fault('[{"field":"tol","values":["a"]}]'), /where\.0\.field|"where",0,"field"/);
      assert.match(await fault('[{"field":"outcome","values":["bad"]}]'), /where\.0\.values|"where",0,"values"/);
      assert.match(await fault('[{"field":"tool","values":[]}]'), /values/);
      assert.match(await fault('[{"field":"tool","values":["a"],"like":1}]'), /like/);
      assert.match(await fault('{'), /JSON/);
      assert.match(await fault('{}'), /where/);
      assert.match(await fault(JSON.stringify(Array(21).fill({ field: 'tool', values: ['a'] }))), /where/);
      assert.equal((await ask('/values', { field: 'secret' })).status, 422);
    });
  });
}
