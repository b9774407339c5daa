import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { connectMcpClient, startMcpUpstream } from '../../../../test/support/mcp-upstream.ts';
import { startPostgres } from '../../../../test/support/postgres.ts';
import { databases } from '../../../../test/support/server.ts';
import { readConfig } from '../../../config.ts';
import { openStore } from '../../../database/opening/connect.ts';
import { platformStatement } from '../../../database/statement.ts';
import { createKey, createUser } from '../../../platform/operator/operator.ts';
import { openOperator, startServer } from '../../../process/server.ts';

const listIds = platformStatement<Record<string, never>, { id: string }>((query) =>
  query.selectFrom('mcp_request').select('id').where('method', '=', 'tools/call').orderBy('id'),
);

/** A server with an MCP server behind its gateway, and the records of its calls after it has stopped. */
async function startRecorded(database: (typeof databases)[number], upstreamUrl: string) {
  const home = await mkdtemp(join(tmpdir(), 'signalbox-test-'));
  const postgres = database === 'postgres' ? await startPostgres() : undefined;
  const databaseUrl = postgres ? await postgres.createDatabase() : `sqlite:${join(home, 'signalbox.db')}`;
  const config = { ...readConfig({}, {}), home, databaseUrl, port: 0, logLevel: 'silent', drainSeconds: 1 };
  const server = await startServer(config);
  const operator = await openOperator(config);
  const email = 'ada@example.com';
  await createUser(operator.context(), { email, name: null, organization: 'default', role: 'admin' });
  const { secret } = await createKey(operator.context().change, { user: email }, { descriptor: 'test' });
  await operator.close();
  const created = await fetch(`${server.url}/api/v0/organizations/default/servers`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ slug: 'up', name: 'Up', kind: 'external', external: { url: upstreamUrl } }),
  });
  assert.equal(created.status, 201);
  const { servingUrl } = (await created.json()) as { servingUrl: string };
  const stopAndRead = async () => {
    await server.stop();
    const store = await openStore(databaseUrl);
    const kept = await store.platform.reads().all(listIds);
    await store.close();
    await postgres?.stop();
    await rm(home, { recursive: true, force: true });
    return kept.map(({ id }) => id);
  };
  return { servingUrl, secret, stopAndRead };
}

for (const database of databases) {
  describe(`records of requests on ${database}`, () => {
    test('every request answered before a clean stop is recorded after the next start', async () => {
      const upstream = await startMcpUpstream();
      const { servingUrl, secret, stopAndRead } = await startRecorded(database, upstream.url);
      const client = await connectMcpClient(servingUrl, secret);
      const answers = await Promise.all(
        Array.from({ length: 40 }, () => client.call('tools/call', { name: 'echo', arguments: {} })),
      );
      const kept = await stopAndRead();
      upstream.stop();
      assert.deepEqual(kept, answers.map(({ id }) => id).sort());
    });

    test('a request whose answer is still being read at the stop is recorded too', async () => {
      const upstream = createServer(async (request, response) => {
        const asked = await text(request);
        // A request for its revisions must not wait.
        if (!asked.includes('tools/call')) response.writeHead(400).end();
        else response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {}\n\n'.repeat(1000));
      });
      await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
      const { port } = upstream.address() as AddressInfo;
      const { servingUrl, secret, stopAndRead } = await startRecorded(database, `http://127.0.0.1:${port}/mcp`);
      const url = new URL(servingUrl);
      const readers = Array.from({ length: 20 }, () => {
        const body = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}';
        const socket = connect({ host: url.hostname, port: Number(url.port) });
        socket.on('error', () => {});
        socket.write(
          `POST ${url.pathname} HTTP/1.1\r\nhost: ${url.host}\r\nauthorization: Bearer ${secret}\r\n` +
            'accept: application/json, text/event-stream\r\ncontent-type: application/json\r\n' +
            `content-length: ${body.length}\r\n\r\n${body}`,
        );
        return new Promise((resolve) => socket.once('data', resolve));
      });
      await Promise.all(readers);
      const kept = await stopAndRead();
      upstream.closeAllConnections();
      upstream.close();
      assert.equal(kept.length, 20);
    });
  });
}
