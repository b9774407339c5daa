/** Nobody can keep others from registering MCP clients. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';
import { platformStatement } from '../../database/statement.ts';
import { TrustedProxies } from '../../network/trusted-proxies.ts';
import { jsonTextOf } from '../../values/json.ts';
import { addSeconds } from '../../values/time.ts';

const MOST_UNUSED = 10_000;
const OF_SHARE = 100;
const WIDE = 6 * OF_SHARE;

const countOf = platformStatement<{ share: string }, { count: number }>((query, given) =>
  query.selectFrom('oauth_client').select(sql<number>`count(*)`.as('count')).where('share', '=', given.share),
);

for (const database of databases) {
  describe(`registration of MCP clients on ${database}`, () => {
    const start = () =>
      startServer({ database, config: { apiAuth: 'key', trustedProxies: new TrustedProxies(['127.0.0.1']) } });
    const register = (server: TestServer, address: string) =>
      server.request('POST', '/oauth/register', JSON.stringify({ redirect_uris: ['http://127.0.0.1:4711/callback'] }), {
        'content-type': 'application/json',
        'x-forwarded-for': address,
      });
    const registered = async ({ server }: TestServer, share: string) =>
      Number((await server.store.platform.reads().first(countOf, { share }))?.count);

    test('the clients of one network give way to each other, and to nobody else', async (t) => {
      const server = await start();
      t.after(() => server.stop());
      const statuses = new Set<number>();
      for (let network = 0; network < OF_SHARE + 30; network++) {
        statuses.add((await register(server, `2001:db8:7:${network.toString(16)}::1`)).status);
      }
      assert.deepEqual([...statuses], [201]);
      assert.equal(await registered(server, '2001:db8:7::/48'), OF_SHARE);
      let refused: string | undefined;
      for (let network = 0; network < WIDE && refused === undefined; network++) {
        const { status, headers } = await register(server, `2001:db8:7:f${network.toString(16).padStart(3, '0')}::1`);
        if (status === 429) refused = String(headers['retry-after']);
      }
      assert.ok(Number(refused) >= 1 && Number(refused) <= 6, `the whole network is slowed down: ${refused}`);
      assert.equal((await register(server, '2001:db8:8::1')).status, 201);
      assert.equal((await register(server, '198.51.100.7')).status, 201);
      assert.equal(await registered(server, '198.51.100.0/24'), 1);
    });

    test('who finds all places taken learns when one is free, and a network that has places may replace', async (t) => {
      const server = await start();
      t.after(() => server.stop());
      const { store, clock } = server.server;
      const share = '203.0.113.0/24';
      const created = addSeconds(clock.now(), -3600);
      const row = { created, metadata: jsonTextOf({}), used_at: null, share };
      const rows = Array.from({ length: MOST_UNUSED }, (_, index) => ({ ...row, id: `client-${index}` }));
      await store.platform.transaction((tx) => tx.insertAll('oauth_client', rows));
      const refused = await register(server, '198.51.100.7');
      assert.equal(refused.status, 503, refused.text);
      const wait = Number(refused.headers['retry-after']);
      assert.ok(wait > 80_000 && wait <= 82_800, `${wait}`);
      assert.equal((await register(server, '203.0.113.9')).status, 201);
      assert.equal(await registered(server, share), MOST_UNUSED);
    });
  });
}
