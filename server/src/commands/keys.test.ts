import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, mock, test } from 'node:test';
import { callerWith, person } from '../../test/support/platform.ts';
import { databases, startServer, type TestServer } from '../../test/support/server.ts';
import { commands } from '../command-line.ts';
import { ConfigError } from '../errors.ts';
import { examineKeys } from '../process/doctor/keys.ts';
import { writeContexts } from './contexts.ts';

const DAY = 86_400;

for (const database of databases) {
  describe(`the commands for keys on ${database}`, () => {
    let server: TestServer;
    let folder: string;
    before(async () => {
      server = await startServer({ database });
      folder = await mkdtemp(join(tmpdir(), 'signalbox-keys-'));
      process.env['XDG_CONFIG_HOME'] = folder;
    });
    after(async () => {
      delete process.env['XDG_CONFIG_HOME'];
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    });

    const run = async (words: string, place: readonly string[]) => {
      const printed = { log: [] as string[], error: [] as string[] };
      for (const name of ['log', 'error'] as const) {
        mock.method(console, name, (line: string) => printed[name].push(line));
      }
      try {
        await commands([...words.split(' '), ...place]);
        return { out: printed.log.join('\n'), said: printed.error.join('\n') };
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        return { out: '', said: error.message };
      } finally {
        mock.restoreAll();
      }
    };
    const here = (words: string) => {
      const { home, databaseUrl } = server.server.config;
      return run(words, ['--home', home, '--database-url', databaseUrl]);
    };
    const there = (words: string) => run(words, ['--context', 'prod']);
    const idsOf = async (words: string) =>
      JSON.parse((await here(`${words} --json`)).out).map((key: { id: string }) => key.id);
    const works = async (key: string) => (await callerWith(server, key).get('/me')).status === 200;

    test('keys roll prints the new key alone, says what becomes of the old one, and works for both kinds', async () => {
      await here('users create --email ada@example.com');
      await here('service-accounts create --name ci');
      for (const owner of ['--user ada@example.com', '--service-account ci']) {
        const { out: old } = await here(`keys create ${owner} --descriptor laptop`);
        const [id] = await idsOf(`keys list ${owner}`);
        const { out, said } = await here(`keys roll --id ${id} --overlap 1h --expires-in 6d`);
        assert.match(out, /^sbx_\w{49}$/);
        assert.match(said, /^The new key for "laptop" is [0-9a-f-]{36}\. It expires in 6 days\.\n/);
        assert.match(said, new RegExp(`The old key ${id} works until \\S+; both are active until then`));
        assert.ok(!said.includes(out.slice(4, 20)));
        assert.deepEqual([await works(old), await works(out)], [true, true]);
        assert.match((await here(`keys roll --id ${id}`)).said, /was rolled already and ends at/);
      }
    });

    test('keys roll names both keys of a service account that has two, and ends one on request', async () => {
      await here('service-accounts create --name full');
      await here('keys create --service-account full --descriptor one');
      await here('keys create --service-account full --descriptor two');
      const [one, two] = await idsOf('keys list --service-account full');
      const { said } = await here(`keys roll --id ${one}`);
      assert.ok(said.includes(`"one" (${one}) and "two" (${two})`) && said.includes('--revoke'), said);
      assert.match((await here(`keys roll --id ${one} --revoke ${two} --overlap now`)).out, /^sbx_/);
      assert.equal((await idsOf('keys list --service-account full --only active')).length, 1);
    });

    test('flags that say no time and no kind are refused by name', async () => {
      const id = '00000000-0000-4000-8000-000000000000';
      for (const [words, said] of [
        ['--overlap soon', '--overlap must be a time such as 24h, 7d or now, not "soon".'],
        ['--overlap 31d', '--overlap must be at most 30d.'],
        ['--revoke mine', '--revoke must be the id of a key, not "mine".'],
        ['--overlap 1h', `There is no active key ${id}. "signalbox keys list" lists them.`],
      ] as const) {
        assert.equal((await here(`keys roll --id ${id} ${words}`)).said, said);
      }
      assert.equal(
        (await here('keys list --only odd')).said,
        '--only must be all, active, expiring, stale, not "odd".',
      );
      assert.match((await here('organizations update --slug default --max-key-age-days x')).said, /--max-key-age-days/);
    });

    test('an administrator lists, rolls and revokes the keys of service accounts on a running server', async () => {
      const url = (await server.listen()).replace('ws:', 'http:').replace(/\/api$/, '');
      const { key } = await person(server, 'grace@example.com', 'admin');
      writeContexts({ current: 'prod', servers: { prod: { url, key } } });
      await here('service-accounts create --name remote');
      await here('keys create --service-account remote --descriptor far');
      const [id] = await idsOf('keys list --service-account remote');
      assert.match((await there('keys list --only stale')).out, new RegExp(`${id} +active +remote of default +far`));
      const rolled = await there(`keys roll --id ${id} --overlap now`);
      assert.match(rolled.said, new RegExp(`The old key ${id} no longer works`));
      assert.ok(await works(rolled.out));
      const [next] = await idsOf('keys list --service-account remote --only active');
      assert.equal((await there(`keys revoke --id ${next}`)).out, `Revoked the key ${next}.`);
      assert.ok(!(await works(rolled.out)));
      const [own] = await idsOf('keys list --user grace@example.com');
      assert.match((await there(`keys roll --id ${own}`)).said, /Your own keys are in the dashboard/);
    });

    test('the doctor names the keys that end soon, and none when none does', async () => {
      const { store, clock } = server.server;
      const found = await examineKeys(store, clock.now());
      assert.equal(found.state, 'warning');
      assert.match(found.says, /^2 API keys expire within 14 days: "laptop" of (ci|ada@example\.com) in 6 days/);
      const much = new Date(Date.now() + 30 * DAY * 1000).toISOString();
      const later = await examineKeys(store, `${much.slice(0, 23)}000Z` as ReturnType<typeof clock.now>);
      assert.equal(later.says, 'No API key expires within 14 days.');
    });
  });
}
