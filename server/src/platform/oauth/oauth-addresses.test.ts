/** The address of a server in the parameter `resource`. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { callTool, send, servingUrl, startGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { OAuthClient, Visitor } from '../../../test/support/oauth-client.ts';
import { joinByInvitation } from '../../../test/support/platform.ts';

const email = 'bob@example.com';
const password = 'correct horse battery';
const redirectUri = 'http://127.0.0.1:43117/callback';

let gateway: TestGateway;
let bob: Visitor;
let client: OAuthClient;
let resource: string;
before(async () => {
  gateway = await startGateway();
  await gateway.register('docs');
  await joinByInvitation(gateway.server, gateway.admin, email, password);
  bob = new Visitor();
  await bob.signIn(gateway.origin, email, password);
  resource = gateway.origin + servingUrl('docs');
  client = new OAuthClient({ origin: gateway.origin, resource, redirectUri });
  assert.equal((await client.register()).status, 201);
});
after(() => gateway.stop());

const use = (key: string) => send(gateway, 'docs', callTool('search'), { key });

test('a server is the same however its address is spelled, and no other address is it', async () => {
  const plain = resource;
  const spellings = [`${plain}/`, plain.replace('http:', 'HTTP:'), plain.replace('docs', 'd%6Fcs'), plain];
  for (const [index, spelling] of spellings.entries()) {
    const code = await client.codeFor(bob, { resource: spelling });
    const other = spellings.at(index - 1);
    const exchanged = await client.exchange(code, { resource: other });
    assert.equal(exchanged.status, 200, `${spelling} ${exchanged.text}`);
    const refreshed = await client.refresh(exchanged.body.refresh_token, { resource: spelling });
    assert.equal(refreshed.status, 200, `${spelling} ${refreshed.text}`);
    assert.equal((await use(refreshed.body.access_token)).status, 200, spelling);
  }
  for (const wrong of [`${plain}?a`, `${plain}#a`, `${plain}/x`, plain.replace('docs', 'd%2Fcs'), gateway.origin]) {
    const answer = await bob.open(client.authorizationUrl({ resource: wrong }));
    assert.match(`${answer.headers.get('location')} ${answer.text}`, /invalid_target|resource/, wrong);
    assert.doesNotMatch(String(answer.headers.get('location')), /consent/, wrong);
  }
});
