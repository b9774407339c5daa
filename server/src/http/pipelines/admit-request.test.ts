import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { askPlatform, cookieOf, type PlatformCaller, person } from '../../../test/support/platform.ts';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';

const password = 'correct horse battery staple';

for (const database of databases) {
  describe(`a browser session on the API of a workspace, on ${database}`, () => {
    let server: TestServer;
    let admin: PlatformCaller;
    let workspace: string;
    before(async () => {
      server = await startServer({ database, config: { apiAuth: 'key' } });
      admin = await person(server, 'ada@example.com', 'admin');
      workspace = (await admin.get('/organizations/default/workspaces')).body.items[0].id;
    });
    after(() => server.stop());

    /** A signed-in person, with or without a role in the default workspace. */
    const signedIn = async (email: string, role: 'viewer' | 'editor' | undefined) => {
      const invited = await admin.post('/organizations/default/invitations', { email });
      const accepted = await askPlatform(server, 'POST', `/invitations/${invited.body.token}/accept`, { password });
      assert.equal(accepted.status, 200);
      const { id } = accepted.body.user as { id: string };
      if (role !== undefined) {
        const granted = await admin.put(`/organizations/default/workspaces/${workspace}/grants/${id}`, { role });
        assert.ok(granted.status < 300, granted.text);
      }
      return { id, cookie: cookieOf(accepted), 'x-csrf-token': accepted.body.csrfToken as string };
    };
    const send = (method: string, path: string, headers: Record<string, string>, body?: unknown) =>
      server.request(method, `/api${path}`, body === undefined ? undefined : JSON.stringify(body), {
        'content-type': 'application/json',
        ...headers,
      });

    test("gives access by the person's role", async () => {
      const { id: _editor, ...editor } = await signedIn('editor@example.com', 'editor');
      assert.equal((await send('POST', '/flows/', editor, { name: 'by session' })).status, 201);
      assert.equal((await send('GET', '/flows/name/by%20session', editor)).status, 200);
      const { id: _viewer, ...viewer } = await signedIn('viewer@example.com', 'viewer');
      assert.equal((await send('POST', '/flows/filter', viewer, {})).status, 200);
      assert.equal((await send('POST', '/flows/', viewer, { name: 'refused' })).status, 403);
      const { id: _nobody, ...nobody } = await signedIn('nobody@example.com', undefined);
      assert.equal((await send('GET', '/flows/', nobody)).status, 403);
    });

    test('gives access to the hosted address too, but to no other organization', async () => {
      const { id: _id, cookie } = await signedIn('hosted@example.com', 'viewer');
      const organization = (await admin.get('/organizations/default')).body.id as string;
      const hosted = `/accounts/${organization}/workspaces/${workspace}`;
      assert.equal((await send('GET', `${hosted}/flows/`, { cookie })).status, 200);
      const other = `/accounts/${organization}/workspaces/${organization}`;
      assert.equal((await send('GET', `${other}/flows/`, { cookie })).status, 404);
    });

    test('changes nothing for a page of another site', async () => {
      const { id: _id, cookie, 'x-csrf-token': token } = await signedIn('target@example.com', 'editor');
      const create = (headers: Record<string, string>) =>
        send('POST', '/flows/', { cookie, ...headers }, { name: 'x' });
      assert.equal((await create({})).status, 403);
      assert.equal((await create({ 'x-csrf-token': 'wrong' })).status, 403);
      assert.equal((await create({ 'x-csrf-token': token, 'sec-fetch-site': 'cross-site' })).status, 403);
      assert.equal((await create({ 'x-csrf-token': token, origin: 'https://evil.example' })).status, 403);
      assert.equal((await create({ 'x-csrf-token': token, 'sec-fetch-site': 'same-origin' })).status, 201);
    });

    test('ends when the person signs out or is removed, and a key beside it takes precedence', async () => {
      const { id, cookie, 'x-csrf-token': token } = await signedIn('leaving@example.com', 'viewer');
      assert.equal((await send('GET', '/flows/', { cookie, authorization: 'Bearer sbx_wrong' })).status, 401);
      assert.equal((await send('GET', '/flows/', { cookie })).status, 200);
      assert.ok((await admin.delete(`/organizations/default/members/${id}`)).status < 300);
      assert.ok((await send('GET', '/flows/', { cookie })).status >= 403);
      await askPlatform(server, 'DELETE', '/session', undefined, { cookie, 'x-csrf-token': token });
      assert.equal((await send('GET', '/flows/', { cookie })).status, 401);
    });

    test('is neither needed nor checked where the API is open', async () => {
      const open = await startServer({ database });
      const answer = await open.get('/flows/', { cookie: 'signalbox_session=unknown' });
      await open.stop();
      assert.equal(answer.status, 200);
    });
  });
}
