import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { connectMcpClient, startMcpUpstream } from '../../test/support/mcp-upstream.ts';
import { startPostgres } from '../../test/support/postgres.ts';
import { databases } from '../../test/support/server.ts';
import { readConfig } from '../config.ts';
import { openStore } from '../database/connect.ts';
import { platformStatement } from '../database/statement.ts';
import { createKey, createUser } from '../platform/operator.ts';
import { openOperator, startServer } from '../server.ts';

const listIds = platformStatement<Record<string, never>, { id: string }>((query) =>
  query.selectFrom('mcp_request').select('id').where('method', '=', 'tools/call').orderBy('id'),
);

for (const database of databases) {
  describe(`records of requests on ${database}`, () => {
    test('every request that was answered before a clean stop is there after the next start', async () => {
      const home = await mkdtemp(join(tmpdir(), 'signalbox-test-'));
      const postgres = database === 'postgres' ? await startPostgres() : undefined;
      const databaseUrl = postgres ? await postgres.createDatabase() : `sqlite:${join(home, 'signalbox.db')}`;
      const config = { ...readConfig({}, {}), home, databaseUrl, port: 0, logLevel: 'silent', drainSeconds: 1 };
      const upstream = await startMcpUpstream();
      const server = await startServer(config);
      const operator = await openOperator(config);
      const email = 'ada@example.com';
      await createUser(operator.context(), { email, name: null, organization: 'default', role: 'admin' });
      const { secret } = await createKey(operator.context(), { user: email }, 'test');
      await operator.close();

      const created = await fetch(`${server.url}/api/v0/organizations/default/servers`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: JSON.stringify({ slug: 'up', name: 'Up', kind: 'external', external: { url: upstream.url } }),
      });
      assert.equal(created.status, 201);
      const { servingUrl } = (await created.json()) as { servingUrl: string };
      const client = await connectMcpClient(servingUrl, secret);
      const answers = await Promise.all(
        Array.from({ length: 40 }, () => client.call('tools/call', { name: 'echo', arguments: {} })),
      );
      await server.stop();
      upstream.stop();

      const store = await openStore(databaseUrl);
      const kept = await store.reads(0).all(listIds);
      assert.deepEqual(
        kept.map(({ id }) => id),
        answers.map(({ id }) => id).sort(),
      );
      await store.close();
      await postgres?.stop();
      await rm(home, { recursive: true, force: true });
    });
  });
}
