import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startServer } from '../../test/support/server.ts';

test('the start page names the server, loads nothing, and its links are served', async () => {
  const server = await startServer();
  const page = await server.request('GET', '/');
  assert.equal(page.status, 200);
  assert.equal(page.headers['content-type'], 'text/html; charset=utf-8');
  assert.match(page.text, /<title>Signalbox<\/title>/);
  assert.match(page.text, /PREFECT_API_URL/);
  assert.doesNotMatch(page.text, / src=|@import|url\(/);
  const links = [...page.text.matchAll(/<a href="([^"]+)"/g)].map(([, link]) => `/${link}`);
  assert.deepEqual(links, ['/sign-in', '/docs', '/openapi.json', '/api/health']);
  for (const link of links) assert.equal((await server.request('GET', link)).status, 200, link);
  assert.equal((await server.request('HEAD', '/')).text, '');
  await server.stop();
});

test('the start page runs its own style and script and no other', async () => {
  const server = await startServer();
  const policy = String((await server.request('GET', '/')).headers['content-security-policy']);
  await server.stop();
  assert.match(policy, /default-src 'none'/);
  assert.match(policy, /script-src 'sha256-[^']+';/);
  assert.match(policy, /style-src 'sha256-[^']+';/);
  assert.doesNotMatch(policy, /unsafe|https?:/);
});
