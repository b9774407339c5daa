/** Every answer that a browser draws as a page, whoever made it, has the same headers of security. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { pages } from '../../src/app.ts';
import { pageHeaders } from '../../src/http/answer/page-headers.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { fetchOnce, OAuthClient } from '../support/oauth-client.ts';

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
  await gateway.register('docs');
});
after(() => gateway.stop());

const { 'content-security-policy': _, ...same } = pageHeaders('');

const accept = { accept: 'text/html' };

async function hasHeaders(answer: Awaited<ReturnType<typeof fetchOnce>>, name: string): Promise<boolean> {
  if (!answer.headers.get('content-type')?.startsWith('text/html')) return false;
  assert.match(answer.headers.get('content-security-policy') ?? '', /default-src 'none'.*frame-ancestors 'none'/, name);
  for (const [header, value] of Object.entries(same))
    assert.equal(answer.headers.get(header), value, `${header} of ${name}`);
  return true;
}

test('every page has the headers that keep other sites out', async () => {
  const files = ['/', '/runs', '/servers/one', '/docs', '/api/docs', '/api/v0/docs', '/help/', '/help/nothing'];
  const forPeople = pages.map(({ method, path }) => ({ method, path: path.replaceAll(/\{\w+\}/g, 'x') }));
  const all = [
    ...files.map((path) => ({ method: 'GET', path })),
    ...forPeople,
    { method: 'GET', path: '/no/such/page' },
  ];
  const drawn = new Set<string>();
  for (const { method, path } of all) {
    const answer = await fetchOnce(gateway.origin + path, { method, headers: accept });
    if (await hasHeaders(answer, `${method} ${path}`)) drawn.add(path);
  }
  for (const path of [...files, '/setup', '/sign-in', '/oauth/device', '/invitations/x'])
    assert.ok(drawn.has(path), path);
});

test('so has each answer of the authorization server to a browser', async () => {
  const redirectUri = 'http://127.0.0.1:43117/callback';
  const client = new OAuthClient({
    origin: gateway.origin,
    resource: `${gateway.origin}/servers/default/docs/mcp`,
    redirectUri,
  });
  await client.register();
  const { origin } = gateway;
  const addresses = [
    client.authorizationUrl(),
    client.authorizationUrl({ client_id: 'nobody' }),
    client.authorizationUrl({ response_mode: 'form_post' }),
    client.authorizationUrl({ response_mode: 'form_post', resource: undefined }),
    client.authorizationUrl({ response_mode: 'fragment', prompt: 'none' }),
    client.authorizationUrl({ response_type: 'token' }),
    `${origin}/oauth/authorize/nothing`,
    `${origin}/oauth/consent/nothing`,
  ];
  for (const address of addresses) {
    const answer = await fetchOnce(address, { headers: accept });
    assert.ok(answer.status < 500, `${answer.status} ${address}`);
    assert.ok((await hasHeaders(answer, address)) || answer.text === '', address);
  }
});

test('the authorization server answers in the modes of its metadata, and refuses any other', async () => {
  const { body } = await fetchOnce(`${gateway.origin}/.well-known/oauth-authorization-server`);
  assert.deepEqual(body.response_modes_supported, ['query', 'fragment']);
  const redirectUri = 'http://127.0.0.1:43117/callback';
  const client = new OAuthClient({
    origin: gateway.origin,
    resource: `${gateway.origin}/servers/default/docs/mcp`,
    redirectUri,
  });
  await client.register();
  const back = async (response_mode: string) => {
    const answer = await fetchOnce(client.authorizationUrl({ response_mode, prompt: 'none' }));
    return new URL(answer.headers.get('location') ?? 'none:');
  };
  for (const mode of ['form_post', 'web_message', 'query.jwt', 'jwt', 'x']) {
    const { origin, pathname, searchParams } = await back(mode);
    assert.deepEqual([origin + pathname, searchParams.get('error')], [redirectUri, 'unsupported_response_mode'], mode);
  }
  assert.match((await back('query')).search, /error=(login|interaction|consent)_required|error=/);
  assert.match((await back('fragment')).hash, /^#error=/);
});
