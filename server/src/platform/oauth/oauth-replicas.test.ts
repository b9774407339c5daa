/** The authorization server at two replicas of one PostgreSQL database; an SQLite file has one server. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { servingUrl, startGateway } from '../../../test/support/gateway.ts';
import { OAuthClient, Visitor } from '../../../test/support/oauth-client.ts';
import { joinByInvitation } from '../../../test/support/platform.ts';
import { databases, startServer } from '../../../test/support/server.ts';

const email = 'bob@example.com';
const password = 'correct horse battery';
const redirectUri = 'http://127.0.0.1:43117/callback';
const replicated = databases.includes('postgres') ? test : test.skip;

/** A gateway on PostgreSQL, a person who is signed in at it, and a client that is registered. */
async function signedIn(t: TestContext) {
  const gateway = await startGateway({ database: 'postgres' });
  t.after(() => gateway.stop());
  await gateway.register('docs');
  await joinByInvitation(gateway.server, gateway.admin, email, password);
  const bob = new Visitor();
  await bob.signIn(gateway.origin, email, password);
  const resource = gateway.origin + servingUrl('docs');
  const client = new OAuthClient({ origin: gateway.origin, resource, redirectUri });
  assert.equal((await client.register()).status, 201);
  return { gateway, bob, resource, client };
}

replicated('of two replicas that get one code or refresh token at once, neither ends with a fault', async (t) => {
  const { gateway, bob, resource, client } = await signedIn(t);
  const { databaseUrl, home } = gateway.server.server.config;
  const replica = await startServer({ databaseUrl, config: { allowPrivateTargets: true, home } });
  t.after(() => replica.stop());

  const headers = { host: new URL(gateway.origin).host, 'content-type': 'application/x-www-form-urlencoded' };
  const atBoth = async (given: Record<string, string>) => {
    const form = new URLSearchParams({ client_id: client.clientId, resource, ...given });
    const answers = await Promise.all(
      Array.from({ length: 8 }, async (_, index) => {
        const { status, body } =
          index % 2 === 0
            ? await client.token(Object.fromEntries(form))
            : await replica.request('POST', '/oauth/token', form.toString(), headers);
        return status === 200 ? 'ok' : `${status} ${(body as { error: string }).error}`;
      }),
    );
    return answers;
  };
  for (let round = 0; round < 3; round++) {
    const { verifier } = client.pkce;
    const code = await client.codeFor(bob);
    const exchange = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier };
    const exchanged = await atBoth(exchange);
    const refused = exchanged.filter((answer) => answer !== 'ok');
    assert.deepEqual([...new Set(refused)], ['400 invalid_grant'], exchanged.join(', '));
    assert.ok(exchanged.length - refused.length <= 1, exchanged.join(', '));
    const { refresh_token } = (await client.exchange(await client.codeFor(bob))).body;
    const refreshed = await atBoth({ grant_type: 'refresh_token', refresh_token });
    assert.deepEqual(new Set(refreshed), new Set(['ok']));
  }
});

replicated('codes and refresh tokens work at a replica whose machine has a wrong clock', async (t) => {
  const { bob, client } = await signedIn(t);
  /** As at a machine whose clock is ahead. All replicas share the clock of the database. */
  const ahead = async <T>(hours: number, work: () => Promise<T>): Promise<T> => {
    const { now } = Date;
    const wrong = t.mock.method(Date, 'now', () => now() + hours * 3_600_000);
    return work().finally(() => wrong.mock.restore());
  };
  for (const [atFirst, atSecond] of [
    [0, 3],
    [-3, 0],
    [3, -3],
  ] as const) {
    const code = await ahead(atFirst, () => client.codeFor(bob));
    const exchanged = await ahead(atSecond, () => client.exchange(code));
    assert.equal(exchanged.status, 200, exchanged.text);
    const { refresh_token } = exchanged.body;
    const refreshed = await ahead(atFirst, () => client.token({ grant_type: 'refresh_token', refresh_token }));
    assert.equal(refreshed.status, 200, refreshed.text);
  }
});
