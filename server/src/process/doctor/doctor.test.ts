import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { freePort } from '../../../test/support/free-port.ts';
import { clientId, clientSecret, startIdentityProvider } from '../../../test/support/identity-provider.ts';
import { startPostgres } from '../../../test/support/postgres.ts';
import { databases } from '../../../test/support/server.ts';
import { type Config, type OidcConfig, readConfig } from '../../config.ts';
import { ownUrl, startServer } from '../server.ts';
import { examineAddresses } from './addresses.ts';
import { examine } from './doctor.ts';

async function statesOf(config: Config): Promise<Record<string, string>> {
  return Object.fromEntries((await examine(config, ownUrl(config))).map(({ subject, state }) => [subject, state]));
}

for (const database of databases) {
  describe(`the doctor on ${database}`, () => {
    test('a server that runs is well; without its key, or its database, it is not', async () => {
      const home = await mkdtemp(join(tmpdir(), 'signalbox-test-'));
      const postgres = database === 'postgres' ? await startPostgres() : undefined;
      const databaseUrl = postgres ? await postgres.createDatabase() : `sqlite:${join(home, 'signalbox.db')}`;
      const config: Config = { ...readConfig({}, {}), home, databaseUrl, port: 0, logLevel: 'silent', hosting: 'off' };
      const running = await startServer(config);
      try {
        const port = Number(new URL(running.url).port);
        const through = { ...config, port, publicUrl: running.url, oauth: false };
        const states = await statesOf(through);
        assert.deepEqual(
          ['database', 'schema', 'secrets', 'private targets', 'server', 'proxy', 'access', 'hosting'].map(
            (subject) => states[subject],
          ),
          Array(8).fill('ok'),
        );
        assert.equal((await statesOf({ ...through, publicUrl: 'http://127.0.0.1:9' }))['proxy'], 'problem');
        if (postgres) {
          const encryptionKey = Buffer.alloc(32, 9).toString('base64');
          assert.equal(states['peers'], 'ok');
          assert.equal((await statesOf({ ...through, encryptionKey }))['peers'], 'problem');
        }
      } finally {
        await running.stop();
      }
      const another = await mkdtemp(join(tmpdir(), 'signalbox-test-'));
      const lost = await statesOf({ ...config, home: another, port: 9 });
      assert.deepEqual([lost['secrets'], lost['server']], ['problem', 'warning']);
      await postgres?.stop();
      const gone = postgres ? 'postgres://nobody@127.0.0.1:9/none' : `sqlite:${home}`;
      const [finding] = (await examine({ ...config, databaseUrl: gone }, ownUrl(config))).filter(
        ({ subject }) => subject === 'database',
      );
      assert.equal(finding?.state, 'problem');
      assert.ok(!finding?.says.includes('Error'), finding?.says);
      await rm(home, { recursive: true, force: true });
      await rm(another, { recursive: true, force: true });
    });
  });
}

describe('what the doctor says about addresses and sign-in', () => {
  const at = (path: string, answer: string) => async (t: TestContext) => {
    const server = createServer((request, response) => {
      if (request.url !== path) response.statusCode = 404;
      response.end(request.url === path ? answer : '');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(() => server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const saying = async (config: Partial<Config>, subject: string, own = 'http://127.0.0.1:9') => {
    const findings = await examineAddresses({ ...readConfig({}, {}), ...config }, own);
    return findings.find((finding) => finding.subject === subject) ?? assert.fail(`nothing about ${subject}`);
  };

  test('a proxy that serves a path needs SIGNALBOX_BASE_PATH, and another program at the address is found', async (t) => {
    const own = await at('/api/ready', '')(t);
    const publicUrl = await at('/tools/api/health', 'true')(t);
    const unset = await saying({ publicUrl }, 'proxy', own);
    assert.equal(unset.state, 'problem');
    assert.match(`${unset.says} ${unset.cure}`, /answers 404.*SIGNALBOX_BASE_PATH/);
    // It passes no websockets.
    assert.match((await saying({ publicUrl, basePath: '/tools' }, 'proxy', own)).says, /websockets/);
    const other = await at('/api/health', '<html>')(t);
    assert.match((await saying({ publicUrl: other }, 'proxy', own)).says, /not as Signalbox/);
  });

  test('an identity provider that cannot be used is a problem, and the secret is not shown', async (t) => {
    const provider = await startIdentityProvider('http://signalbox/sign-in/oidc/callback');
    t.after(() => provider.stop());
    const found = (others: Partial<OidcConfig> = {}) =>
      saying({ oidc: { ...oidcOf(provider.issuer), ...others } }, 'sign-in');
    assert.equal((await found()).state, 'ok');
    for (const [others, said] of [
      [{ issuer: `http://127.0.0.1:${await freePort()}` }, /refused the connection/],
      [{ issuer: provider.issuer.replace('127.0.0.1', 'localhost') }, new RegExp(`calls itself ${provider.issuer}`)],
      [{ issuer: `${provider.issuer}/realms/none` }, /not valid/],
      [{ clientSecret: 'expired-hunter2' }, /refuses the client "signalbox": its secret is wrong or has expired/],
      [{ clientId: 'unknown' }, /refuses the client "unknown"/],
    ] as const) {
      const { state, says, cure } = await found(others);
      assert.equal(state, 'problem', says);
      assert.match(says, said);
      assert.match(cure ?? '', /SIGNALBOX_OIDC_/);
      assert.ok(!`${says}${cure}`.includes('hunter2'));
    }
  });
});

const oidcOf = (issuer: string): OidcConfig => ({
  ...{ issuer, clientId, clientSecret, label: 'Example', scopes: 'openid email profile' },
  ...{ emailDomains: [], groupsClaim: 'groups', groupRoles: [], newUsers: 'invited' },
});
