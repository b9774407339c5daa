import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startGateway, type TestGateway } from '../../test/support/gateway.ts';

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
  await gateway.register('docs');
});
after(() => gateway.stop());

const PATHS = [
  '/api/work_pools/%00',
  '/api/work_pools/a%00/queues',
  '/api/variables/name/a%00b',
  '/api/flow_runs/%00',
  '/api/flow_runs/%00/set_state',
  '/api/%00',
  '/api/v0/organizations/%00',
  '/api/v0/organizations/default/servers/a%00',
  '/api/v0/%00',
  '/servers/default/docs%00/mcp',
  '/servers/%00/docs/mcp',
  '/hooks/%00',
  '/oauth/%00',
  '/assets/%00',
  '/docs/%00',
  '/help/%00',
  '/.well-known/oauth-protected-resource/servers/default/%00/mcp',
  '/%00',
];

test('a path with a NUL names nothing on any surface, by any method', async () => {
  const headers = { authorization: `Bearer ${gateway.admin.key}`, 'content-type': 'application/json' };
  for (const path of PATHS) {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      const body = method.startsWith('P') ? '{}' : undefined;
      const { status, text } = await gateway.request(method, path, body, headers);
      assert.equal(status, 404, `${method} ${path}: ${text}`);
    }
  }
});
