/** Streams of `/api` where it requires a key: how clients send the key, and the answer to clients without one. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { WebSocket } from 'ws';
import { type PlatformCaller, person } from '../support/platform.ts';
import { databases, startServer, type TestServer } from '../support/server.ts';
import { connect, SocketClient } from '../support/socket-client.ts';

const NO_TOKEN = 'Auth required but no token provided';
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

for (const database of databases) {
  describe(`streams of a server that requires a key on ${database}`, () => {
    let server: TestServer;
    let admin: PlatformCaller;
    let url: string;
    const logged: string[] = [];
    before(async () => {
      server = await startServer({ database, config: { apiAuth: 'key' }, onLogLine: (line) => logged.push(line) });
      admin = await person(server, 'ada@example.com', 'admin');
      url = `${await server.listen()}/events/in`;
    });
    after(() => server.stop());

    /** The body of the answer that refuses an upgrade. */
    const refusal = (address: string, headers: Record<string, string> = {}): Promise<string> =>
      new Promise((resolve, reject) => {
        const socket = new WebSocket(address, [], { headers });
        socket.once('open', () => reject(new Error('the socket opened')));
        socket.on('error', () => {});
        socket.once('unexpected-response', (_, response) => {
          let body = `${response.statusCode} `;
          response.setEncoding('utf8').on('data', (text: string) => (body += text));
          response.once('end', () => resolve(body));
        });
      });

    test('the auth string is the key, with or without a user name, in the first frame', async () => {
      for (const token of [admin.key, `any:${admin.key}`]) {
        const client = await connect(url, { token });
        await client.ping();
        client.close();
      }
      for (const token of ['admin:pass', 'any:', `${admin.key}:any`, `any:${admin.key}x`]) {
        const client = await connect(url, { protocols: ['prefect'] });
        client.send({ type: 'auth', token });
        assert.equal(await client.ended(), '1008 Invalid token');
      }
    });

    test('or in the header of the upgrade, as newer clients send it beside the first frame', async () => {
      for (const token of [admin.key, `any:${admin.key}`]) {
        const client = new SocketClient(url, ['prefect'], { authorization: basic(token) });
        client.socket.once('open', () => client.send({ type: 'auth', token }));
        assert.deepEqual(await client.next(), { type: 'auth_success' });
        client.close();
      }
      assert.match(await refusal(url, { authorization: basic('any:sbx_wrong') }), /^401 /);
    });

    test('a stream that was opened with an auth string ends with its key', async () => {
      const member = await person(server, `leaver-${database}@example.com`, 'admin');
      const client = await connect(url, { token: `any:${member.key}` });
      const ended = client.ended();
      assert.equal((await member.delete('/me/api-key')).status, 204);
      assert.equal(await ended, '1008 Unauthorized');
    });

    test('a client without a token learns which setting it lacks, and the log names it once', async () => {
      const sentence = `${NO_TOKEN}: set PREFECT_API_AUTH_STRING to the API key`;
      for (const token of [null, '', undefined]) {
        const client = await connect(url, { protocols: ['prefect'] });
        client.send({ type: 'auth', token });
        assert.equal(await client.ended(), `1008 ${sentence}`);
      }
      const old = `${NO_TOKEN}: set PREFECT_CLOUD_API_URL to the address in PREFECT_API_URL, or use a newer client`;
      assert.equal(await refusal(url), `403 ${old}`);
      assert.equal(await refusal(url), `403 ${old}`);
      const [workspace] = (await admin.get('/organizations/default/workspaces')).body.items;
      const hosted = url.replace('/api', `/api/accounts/${workspace.organizationId}/workspaces/${workspace.id}`);
      const cloud = `${NO_TOKEN}: set PREFECT_CLOUD_API_URL to the server's address with /api`;
      assert.equal(await refusal(hosted), `403 ${cloud}`);
      const client = await connect(hosted, { protocols: ['prefect'] });
      client.send({ type: 'auth', token: null });
      assert.equal(await client.ended(), `1008 ${cloud}`);
      for (const told of [sentence, old, cloud]) {
        assert.equal(logged.filter((line) => line.includes(told)).length, 1, told);
      }
      assert.ok(!logged.join('').includes('sbx_'));
    });
  });
}
