/** Texts that PostgreSQL cannot hold, or that a page shows as something else, in what clients of OAuth send. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { servingUrl, startGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { fetchOnce, OAuthClient } from '../../../test/support/oauth-client.ts';
import { databasesOfRun } from '../../../test/support/server.ts';

const redirectUri = 'http://127.0.0.1:43117/callback';

for (const database of databasesOfRun) {
  describe(`odd texts of OAuth clients on ${database}`, () => {
    let gateway: TestGateway;
    let client: OAuthClient;
    before(async () => {
      gateway = await startGateway({ database });
      await gateway.register('docs');
      client = new OAuthClient({ origin: gateway.origin, resource: gateway.origin + servingUrl('docs'), redirectUri });
      assert.equal((await client.register()).status, 201);
    });
    after(() => gateway.stop());

    test('a client id with NUL is one that nobody has', async () => {
      for (const id of ['\0', `${client.clientId}\0`]) {
        assert.equal((await fetchOnce(client.authorizationUrl({ client_id: id }))).status, 400);
        for (const path of ['token', 'revoke']) {
          const body = new URLSearchParams({
            grant_type: 'refresh_token',
            refresh_token: 'x',
            token: 'x',
            client_id: id,
          });
          const answer = await fetchOnce(`${gateway.origin}/oauth/${path}`, { method: 'POST', body });
          assert.deepEqual([answer.status, answer.body.error], [401, 'invalid_client'], path);
        }
      }
    });

    test('an address with NUL is described by nobody', async () => {
      const well = `${gateway.origin}/.well-known/oauth-protected-resource/servers`;
      for (const path of ['%00/docs', 'default/%00', 'default/docs%00']) {
        assert.equal((await fetchOnce(`${well}/${path}/mcp`)).status, 404, path);
      }
    });

    test('a name with characters that nobody sees, or that turn the text around, is refused', async () => {
      for (const name of ['a\0b', 'a\nb', 'Bank\u202egnp', '\u2066x', '\ud800', 'a\u2028b']) {
        const answer = await client.register({ client_name: name });
        assert.deepEqual([answer.status, answer.body.error], [400, 'invalid_client_metadata'], JSON.stringify(name));
      }
      assert.equal((await client.register({ client_name: 'Prüfer 検証 👩‍💻' })).status, 201);
    });
  });
}
