/** While the database is away, every surface answers 503 and says when to ask again. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { callTool, send, servingUrl, startGateway, type TestGateway } from '../support/gateway.ts';
import { databases, type TestServer } from '../support/server.ts';

interface Answered {
  readonly status: number;
  readonly headers: { readonly [name: string]: unknown };
  readonly text: string;
}

const mayAskAgain = (what: string, { status, headers, text }: Answered) =>
  assert.deepEqual([status, headers['retry-after']], [503, '1'], `${what}: ${text}`);

if (databases.includes('postgres')) {
  describe('a database that is away', () => {
    let gateway: TestGateway;
    let server: TestServer;
    let control: pg.Client | undefined;
    let paths: string[];
    before(async () => {
      gateway = await startGateway({ database: 'postgres', config: { apiAuth: 'key' } });
      ({ server } = gateway);
      await gateway.register('docs');
      assert.equal((await send(gateway, 'docs', callTool('echo'), { key: gateway.admin.key })).status, 200);
      paths = [...(await readPaths('/api', '/openapi.json')), ...(await readPaths('/api/v0', '/v0/openapi.json'))];
      const url = new URL(server.server.config.databaseUrl);
      const name = url.pathname.slice(1);
      url.pathname = '/postgres';
      control = new pg.Client({ connectionString: url.href });
      await control.connect();
      await control.query(`alter database "${name}" allow_connections false`);
      await control.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
    });
    after(async () => {
      const name = new URL(server.server.config.databaseUrl).pathname.slice(1);
      await control?.query(`alter database "${name}" allow_connections true`);
      await control?.end();
      await gateway.stop();
    });

    /** The routes of a document that read and need no parameter in the path. */
    async function readPaths(prefix: string, document: string): Promise<string[]> {
      const { body } = await server.get(document, headers());
      const listed = Object.entries(body.paths as Record<string, { get?: object }>);
      assert.ok(listed.length > 30, document);
      return listed
        .filter(([path, { get }]) => get && !path.includes('{'))
        .map(([path]) => (path.startsWith('/api') ? path : prefix + path));
    }

    const headers = () => ({ authorization: `Bearer ${gateway.admin.key}` });

    test('the API of a workspace and the platform API', async () => {
      let unavailable = 0;
      // Probes answer as the reference does.
      for (const path of paths.filter((one) => !one.endsWith('/ready'))) {
        const answer = await gateway.request('GET', path, undefined, headers());
        if (answer.status < 500) continue;
        unavailable += 1;
        mayAskAgain(path, answer);
      }
      assert.ok(unavailable > 20, `${unavailable} of ${paths.length}`);
      mayAskAgain('a write', await server.post('/flows/', { name: 'x' }, headers()));
    });

    test('the gateway, for whatever credential', async () => {
      const body = JSON.stringify(callTool('echo'));
      for (const key of [gateway.admin.key, 'x'.repeat(43), undefined]) {
        mayAskAgain(`the key ${key}`, await send(gateway, 'docs', callTool('echo'), key === undefined ? {} : { key }));
      }
      mayAskAgain('an unknown server', await gateway.request('POST', servingUrl('unknown'), body, headers()));
    });

    test('the sign-in of MCP clients', async () => {
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      const grant = 'grant_type=authorization_code&client_id=x&code=y&redirect_uri=z&code_verifier=v';
      const token = await gateway.request('POST', '/oauth/token', grant, form);
      mayAskAgain('/oauth/token', token);
      assert.equal(JSON.parse(token.text).error, 'temporarily_unavailable');
      mayAskAgain('/oauth/authorize', await gateway.request('GET', '/oauth/authorize?client_id=x'));
      const described = `/.well-known/oauth-protected-resource${servingUrl('docs')}`;
      mayAskAgain(described, await gateway.request('GET', described));
    });
  });
}
