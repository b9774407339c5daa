import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startServer } from '../../../test/support/server.ts';
import { TrustedProxies } from '../../network/trusted-proxies.ts';

test("an interface gets the API's address as its browser sees it", async () => {
  const server = await startServer({
    config: { trustedProxies: new TrustedProxies(['127.0.0.1']), allowedHosts: ['flows.example'] },
  });
  const direct = await server.request('GET', '/ui-settings', undefined, { host: 'flows.example:8080' });
  const behindProxy = await server.request('GET', '/ui-settings', undefined, {
    host: 'internal:4200',
    'x-forwarded-host': 'flows.example',
    'x-forwarded-proto': 'https',
  });
  await server.stop();
  assert.deepEqual(direct.body, {
    api_url: 'http://flows.example:8080/api',
    csrf_enabled: false,
    auth: null,
    flags: [],
    default_ui: 'v2',
    available_uis: ['v1', 'v2'],
    v1_base_url: '/',
    v2_base_url: '/v2',
  });
  assert.equal(behindProxy.body.api_url, 'https://flows.example/api');
});

test('an interface learns without a password that it needs one', async () => {
  const server = await startServer({ config: { apiAuth: 'basic', apiAuthString: 'me:secret' } });
  const settings = await server.request('GET', '/ui-settings');
  await server.stop();
  assert.equal(settings.body.auth, 'BASIC');
});
