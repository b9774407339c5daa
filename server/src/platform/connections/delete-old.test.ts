import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { servingUrl, startGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { OAuthClient, Visitor } from '../../../test/support/oauth-client.ts';
import { joinByInvitation } from '../../../test/support/platform.ts';
import { databasesOfRun } from '../../../test/support/server.ts';
import { addSeconds } from '../../values/time.ts';
import { deleteOldConnections } from './delete-old.ts';

const email = 'bob@example.com';
const password = 'correct horse battery';
const DAY = 86_400;

for (const database of databasesOfRun) {
  describe(`the retention of connected clients on ${database}`, () => {
    let gateway: TestGateway;
    let bob: Visitor;
    before(async () => {
      gateway = await startGateway({ database });
      await gateway.register('docs');
      await joinByInvitation(gateway.server, gateway.admin, email, password);
      bob = new Visitor();
      await bob.signIn(gateway.origin, email, password);
    });
    after(() => gateway.stop());

    const registered = async () => {
      const resource = gateway.origin + servingUrl('docs');
      const client = new OAuthClient({ origin: gateway.origin, resource, redirectUri: 'http://127.0.0.1:43117/' });
      await client.register();
      return client;
    };
    const pass = (days: number) => {
      const { server } = gateway.server;
      return deleteOldConnections(server, addSeconds(server.clock.now(), days * DAY));
    };
    const isKnown = async (client: OAuthClient) => (await bob.open(client.authorizationUrl())).status === 303;

    test('what comes to nothing goes after a day, and a connection once its last token has expired', async () => {
      const [unused, used] = [await registered(), await registered()];
      const { refresh_token } = (await used.exchange(await used.codeFor(bob))).body;
      assert.equal(await pass(0), false);
      assert.ok((await isKnown(unused)) && (await isKnown(used)));
      await pass(2);
      assert.deepEqual([await isKnown(unused), await isKnown(used)], [false, true]);
      const next = await used.refresh(refresh_token);
      assert.equal(next.status, 200, 'a connection in use stays');
      await pass(31);
      assert.equal((await used.refresh(next.body.refresh_token)).body.error, 'invalid_grant');
      assert.ok(await isKnown(used), 'so that it need not register again');
      await pass(200);
      assert.equal(await isKnown(used), false);
    });
  });
}
