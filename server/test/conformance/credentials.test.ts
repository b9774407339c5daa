/** Spellings of keys and addresses that must not give access. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newApiKey } from '../../src/identity/keys/api-keys.ts';
import { person } from '../support/platform.ts';
import { startServer, type TestServer } from '../support/server.ts';

describe('credentials and addresses', () => {
  let server: TestServer;
  let key: string;
  let hosted: string;
  before(async () => {
    server = await startServer({ config: { apiAuth: 'key' } });
    const admin = await person(server, 'ada@example.com', 'admin');
    key = admin.key;
    const workspaces = (await admin.get('/organizations/default/workspaces')).body.items;
    hosted = `/api/accounts/${workspaces[0].organizationId}/workspaces/${workspaces[0].id}`;
  });
  after(() => server.stop());

  const addresses = () => ['/api/flows/', `${hosted}/flows/`, '/api/v0/me', '/api/me/workspaces'];
  const get = (url: string, authorization?: string) =>
    server.request('GET', url, undefined, authorization === undefined ? {} : { authorization });

  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

  test("a key is accepted as a client's auth string, with or without a user name, at /api only", async () => {
    for (const text of [key, `any:${key}`, `:${key}`]) {
      assert.equal((await get('/api/flows/', basic(text))).status, 200, text.length.toString());
      assert.equal((await get('/api/flows/', basic(text).replace('Basic', 'basic'))).status, 200);
      for (const url of addresses().slice(1)) assert.equal((await get(url, basic(text))).status, 401, url);
    }
    const refused = [
      basic(''),
      basic(':'),
      basic('admin:pass'),
      basic(`${key}:`),
      basic(`${key}:any`),
      basic(`a:b:${key}`),
      basic(`${key}x`),
      basic(`Bearer ${key}`),
      basic(newApiKey().secret),
      `Basic ${key}`,
      `Basic any:${key}`,
      `${basic(key)}, ${basic(key)}`,
      `${basic(key)} x`,
    ];
    for (const value of refused) assert.equal((await get('/api/flows/', value)).status, 401, value.slice(0, 30));
  });

  test('elsewhere a key is accepted in one form only', async () => {
    for (const url of addresses()) {
      assert.equal((await get(url, `Bearer ${key}`)).status, 200, url);
      assert.equal((await get(url, `bearer ${key}`)).status, 200, `${url}: the scheme ignores case`);
      const refused = [
        undefined,
        '',
        'Bearer',
        'Bearer ',
        key,
        `Token ${key}`,
        `Bearer ${key.slice(0, -1)}`,
        `Bearer ${key}x`,
        `Bearer ${key} ${key}`,
        `Bearer ${key}, Bearer ${key}`,
        `Bearer ${key},${key}`,
        `Bearer "${key}"`,
        `Bearer ${key.toUpperCase()}`,
        `Bearer ${key.replace('sbx_', 'fmcp_')}`,
        `Bearer ${newApiKey().secret}`,
        `Bearer ${'sbx_'.padEnd(8000, 'x')}`,
        `Bearer ${key}\u00e9`,
        `Bearer ${encodeURIComponent(key)}%00`,
        `Bearer ${key}' or '1'='1`,
      ];
      for (const value of refused) assert.equal((await get(url, value)).status, 401, `${url} ${value?.slice(0, 40)}`);
    }
  });

  test('a key in the query, in a cookie or in a body gives no access', async () => {
    for (const url of addresses()) {
      for (const name of ['key', 'api_key', 'access_token', 'token', 'authorization']) {
        assert.equal((await get(`${url}?${name}=${key}`)).status, 401, `${url} ${name}`);
      }
      const cookies = [`signalbox_session=${key}`, `authorization=Bearer ${key}`];
      for (const cookie of cookies) {
        assert.equal((await server.request('GET', url, undefined, { cookie })).status, 401, cookie);
      }
    }
    const body = JSON.stringify({ api_key: key });
    const answer = await server.request('POST', `${hosted}/flows/filter`, body, { 'content-type': 'application/json' });
    assert.equal(answer.status, 401);
  });

  test('no spelling of an address bypasses the check', async () => {
    const [, organization, workspace] = /accounts\/([^/]+)\/workspaces\/([^/]+)/.exec(hosted) ?? [];
    const tricks = [
      `${hosted}/flows/../health`,
      `${hosted}/health`,
      `${hosted}/health/../flows/`,
      `${hosted}//flows/`,
      `${hosted}/%2e%2e/flows/`,
      `${hosted}/.%2e/.%2e/health`,
      `${hosted}/flows/;/health`,
      `${hosted};/health`,
      `${hosted}/ready`,
      `${hosted}/flows/%2f`,
      `${hosted}/docs`,
      `${hosted}/openapi.json`,
      `/api/accounts/${organization}/workspaces/${workspace}`,
      `/api/accounts/${organization}/workspaces/${workspace}/`,
      `/api/accounts/${organization}/workspaces/${workspace}/accounts/${organization}/workspaces/${workspace}/flows/`,
      `/api//accounts/${organization}/workspaces/${workspace}/flows/`,
      `/api/accounts//workspaces/${workspace}/flows/`,
      `/api/accounts/${organization}/workspaces/${workspace}/v0/me`,
      '/api/flows/?/health',
      '/api/flows/#/health',
      '/api//health/../flows/',
      '/api/health/../flows/',
      '/api/v0/../flows/',
      '/api/v0/me/',
      '/api/v0//me',
      '/api/v0/session',
      '/api/v0/ME',
    ];
    for (const url of tricks) {
      const { status, text } = await get(url);
      assert.ok([401, 404, 307].includes(status), `${url}: ${status} ${text.slice(0, 60)}`);
    }
    for (const url of [`${hosted}/flows/`, `${hosted.toUpperCase().replace('/API/', '/api/')}/flows/`]) {
      assert.ok([401, 404].includes((await get(url)).status), url);
    }
  });

  test('another method in a header does not change the request', async () => {
    for (const header of ['x-http-method-override', 'x-method-override', 'x-http-method']) {
      const answer = await server.request('GET', `${hosted}/flows/`, undefined, { [header]: 'OPTIONS' });
      assert.equal(answer.status, 401, header);
    }
  });
});
