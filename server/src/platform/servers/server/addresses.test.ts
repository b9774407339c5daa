import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startGateway, type TestGateway } from '../../../../test/support/gateway.ts';
import { databases } from '../../../../test/support/server.ts';

const ORGANIZATION = '/organizations/default';
const SERVER = `${ORGANIZATION}/servers/docs`;

for (const database of databases) {
  describe(`addresses of external servers on ${database}`, () => {
    let gateway: TestGateway;
    before(async () => {
      gateway = await startGateway({ database });
      await gateway.register('docs');
    });
    after(() => gateway.stop());

    /** A query that holds a secret, and one that does not. */
    const SECRET = 'api_key=opensesame';
    const secrets = [
      SECRET,
      ...[
        'apiKey=x',
        'access_token=x',
        'token=x',
        'KEY=x',
        'client-secret=x',
        'password=x',
        'sig=x',
        'X-Amz-Signature=x',
      ],
      ...['profile=sk-12345', 'a=1&b=ghp_x', 'session=eyJhbGciOiJub25lIn0.e30.'],
    ];
    const harmless = ['', 'project_ref=abcdefghijkl&read_only=true', 'keyword=token', 'region=eu', 'api_key='];

    test('are refused with a secret in them, in every field that holds one', async () => {
      const fields = (url: string): readonly (readonly [string, object])[] => [
        ['external.url', { external: { url } }],
        [
          'external.credential.tokenUrl',
          { external: { credential: { kind: 'client_credentials', tokenUrl: url, clientId: 'a', secret: 'b' } } },
        ],
        ['personalCredential.authorizationServer', { personalCredential: { kind: 'oauth', authorizationServer: url } }],
      ];
      for (const query of secrets) {
        for (const [field, body] of fields(`https://mcp.example.com/mcp?${query}`)) {
          const { status, text } = await gateway.admin.patch(SERVER, body);
          assert.equal(status, 422, `${field} ${query}`);
          assert.match(text, /must not contain a secret .* credential of the kind bearer, header or headers/, field);
          assert.match(text, new RegExp(field.split('.').at(-1) ?? ''), field);
        }
      }
      for (const url of ['https://ada:opensesame@x.example/mcp', 'https://x.example/mcp#opensesame']) {
        for (const [field, body] of fields(url)) {
          assert.equal((await gateway.admin.patch(SERVER, body)).status, 422, `${field} ${url}`);
        }
      }
      const created = {
        slug: 'other',
        name: 'Other',
        kind: 'external',
        external: { url: `https://x.example/?${SECRET}` },
      };
      assert.equal((await gateway.admin.post(`${ORGANIZATION}/servers`, created)).status, 422);
      const serverJson = { name: 'com.example/x', remotes: [{ type: 'streamable-http', url: created.external.url }] };
      assert.equal((await gateway.admin.post(`${ORGANIZATION}/server-imports`, { serverJson })).status, 422);
      const seen = [await gateway.admin.get(`${ORGANIZATION}/audit`), await gateway.admin.get(SERVER)];
      assert.doesNotMatch(seen.map(({ text }) => text).join(), /opensesame/);
    });

    test('may have any other query', async () => {
      for (const query of harmless) {
        const url = `https://mcp.example.com/mcp?${query}`;
        const { status, text, body } = await gateway.admin.patch(SERVER, { external: { url } });
        assert.equal(status, 200, text);
        assert.equal(body.external.url, url);
      }
    });
  });
}
