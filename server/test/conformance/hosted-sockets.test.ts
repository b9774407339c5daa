/** Streams of a hosted workspace: who may open one, and for how long. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newId } from '../../src/values/id.ts';
import { type PlatformCaller, person } from '../support/platform.ts';
import { databases, startServer, type TestServer } from '../support/server.ts';
import { connect, SocketClient } from '../support/socket-client.ts';

for (const database of databases) {
  describe(`streams of a hosted workspace on ${database}`, () => {
    let server: TestServer;
    let admin: PlatformCaller;
    let hosted: string;
    let sockets: string;
    before(async () => {
      server = await startServer({ database });
      admin = await person(server, 'ada@example.com', 'admin');
      const [workspace] = (await admin.get('/organizations/default/workspaces')).body.items;
      hosted = `/api/accounts/${workspace.organizationId}/workspaces/${workspace.id}`;
      sockets = (await server.listen()).replace(/\/api$/, hosted);
    });
    after(() => server.stop());

    const newMember = async (name: string) => {
      const member = await person(server, `${name}-${database}@example.com`, 'member');
      const [workspace] = (await admin.get('/organizations/default/workspaces')).body.items;
      const grant = `/organizations/default/workspaces/${workspace.id}/grants/${member.id}`;
      assert.equal((await admin.put(grant, { role: 'viewer' })).status, 204);
      return { ...member, grant };
    };
    const listen = async (key: string) => {
      const client = await connect(`${sockets}/events/out`, { token: key });
      client.send({ type: 'filter', filter: { event: { name: ['hosted.test'] } } });
      return client;
    };

    test('a key is the token of the first frame, and its events arrive', async () => {
      const member = await newMember('reader');
      const client = await listen(member.key);
      await client.ping();
      const resource = { 'prefect.resource.id': 'test.hosted' };
      const event = { id: newId(), occurred: server.context().now, event: 'hosted.test', resource };
      const sent = await server.request('POST', `${hosted}/events`, JSON.stringify([event]), {
        authorization: `Bearer ${admin.key}`,
        'content-type': 'application/json',
      });
      assert.equal(sent.status, 204, sent.text);
      const told = (await client.next()) as { event: { id: string } };
      assert.equal(told.event.id, event.id);
      client.close();
    });

    test('a token that is not a key, and one without a role, give no access', async () => {
      const stranger = await person(server, `stranger-${database}@example.com`, 'member');
      for (const [token, end] of [
        ['sbx_wrong', '1008 Invalid token'],
        [null, `1008 Auth required but no token provided: set PREFECT_CLOUD_API_URL to the server's address with /api`],
        [`any:${stranger.key}`, '1008 Invalid token'],
        [stranger.key, '1008 Forbidden'],
      ]) {
        const client = new SocketClient(`${sockets}/events/out`, ['prefect']);
        client.socket.once('open', () => client.send({ type: 'auth', token }));
        assert.equal(await client.ended(), end);
      }
    });

    test('a stream ends when its key is revoked, or its role or membership ends', async () => {
      const [revoked, demoted, removed, kept] = await Promise.all(['a', 'b', 'c', 'd'].map(newMember));
      const clients = await Promise.all([revoked, demoted, removed, kept].map((member) => listen(member?.key ?? '')));
      const ends = clients.slice(0, 3).map((client) => client.ended());
      assert.equal((await revoked?.delete('/me/api-key'))?.status, 204);
      assert.equal((await admin.delete(demoted?.grant ?? '')).status, 204);
      assert.equal((await admin.delete(`/organizations/default/members/${removed?.id}`)).status, 204);
      assert.deepEqual(await Promise.all(ends), ['1008 Unauthorized', '1008 Forbidden', '1008 Not Found']);
      await clients[3]?.ping();
      clients[3]?.close();
    });
  });
}
