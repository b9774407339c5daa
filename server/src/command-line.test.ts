import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, mock, test } from 'node:test';
import { openBrowser } from '../test/support/browser.ts';
import { callerWith } from '../test/support/platform.ts';
import { databases, startServer, type TestServer } from '../test/support/server.ts';
import { commands } from './command-line.ts';
import { ConfigError } from './config.ts';

const program = join(import.meta.dirname, 'main.js');

for (const database of databases) {
  describe(`commands for operators beside a server on ${database}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startServer({ database });
    });
    after(() => server.stop());

    const run = async (command: string) => {
      const { home, databaseUrl } = server.server.config;
      const printed = { log: [] as string[], error: [] as string[] };
      for (const name of ['log', 'error'] as const) {
        mock.method(console, name, (line: string) => printed[name].push(`${line}\n`));
      }
      try {
        const code = await commands([...command.split(' '), '--home', home, '--database-url', databaseUrl]);
        return { out: printed.log.join(''), complaint: printed.error.join(''), code };
      } catch (error) {
        // Whatever else is thrown is a bug, which the program shows as one.
        if (!(error instanceof ConfigError)) throw error;
        return { out: printed.log.join(''), complaint: error.message, code: 2 };
      } finally {
        mock.restoreAll();
      }
    };
    /** As a process of its own, which reads the password from its standard input. */
    const changePassword = async (email: string, password: string) => {
      const { home, databaseUrl } = server.server.config;
      const child = spawn(process.execPath, [program, 'users', 'password', '--email', email], {
        env: { PATH: process.env['PATH'], SIGNALBOX_HOME: home, SIGNALBOX_DATABASE_URL: databaseUrl },
        stdio: ['pipe', 'ignore', 'ignore'],
      });
      child.stdin.end(`${password}\n`);
      return (await once(child, 'exit'))[0] as number | null;
    };
    const answerOf = async (command: string) => {
      const { out, complaint, code } = await run(`${command} --json`);
      assert.equal(code, 0, complaint);
      return JSON.parse(out);
    };

    test('people are made, listed, given a password and removed', async () => {
      await answerOf('users create --email ada@example.com --organization default --role admin');
      await answerOf('users create --email bob@example.com --organization default --role member');
      const password = 'correct horse battery';
      assert.equal(await changePassword('bob@example.com', 'short'), 2);
      assert.equal(await changePassword('bob@example.com', password), 0);
      const browser = openBrowser(server);
      assert.equal((await browser.post('/sign-in', { email: 'bob@example.com', password })).status, 303);
      const users = await answerOf('users list');
      assert.deepEqual(
        users.map(({ email, state, signsInWith, organizations }: Record<string, unknown>) => ({
          email,
          state,
          signsInWith,
          organizations,
        })),
        [
          {
            email: 'ada@example.com',
            state: 'active',
            signsInWith: [],
            organizations: [{ slug: 'default', role: 'admin' }],
          },
          {
            email: 'bob@example.com',
            state: 'active',
            signsInWith: ['password'],
            organizations: [{ slug: 'default', role: 'member' }],
          },
        ],
      );
      const key = (await run('keys create --user bob@example.com --descriptor laptop')).out.trim();
      assert.equal((await callerWith(server, key).get('/me')).status, 200);
      const last = await run('users remove --email ada@example.com');
      assert.equal(last.code, 2);
      assert.match(last.complaint, /last administrator of "default"/);
      assert.equal((await run('users remove --email Bob@example.com')).code, 0);
      assert.equal((await callerWith(server, key).get('/me')).status, 401);
      assert.equal((await browser.open('/account')).status, 303, 'signed out');
      assert.equal((await run('users remove --email bob@example.com')).code, 2);
      await answerOf('users create --email bob@example.com --organization default --role member');
      assert.equal((await callerWith(server, key).get('/me')).status, 401, 'nothing comes back');
    });

    test('who makes a key is told which settings a client needs, and the key stays alone on stdout', async () => {
      await answerOf('users create --email told@example.com --organization default --role member');
      const create = 'keys create --user told@example.com --descriptor';
      const { out, complaint } = await run(`${create} laptop --public-url https://signalbox.example`);
      assert.match(out, /^sbx_\w+\n$/);
      for (const line of [
        'export PREFECT_API_AUTH_STRING=<the key>',
        'export PREFECT_API_URL=https://signalbox.example/api/accounts/<organization>/workspaces/<workspace>',
        'export PREFECT_API_KEY=<the key>',
        'export PREFECT_CLOUD_API_URL=https://signalbox.example/api',
      ]) {
        assert.ok(complaint.split('\n').includes(line), line);
      }
      assert.ok(!complaint.includes('sbx_'), 'what is no terminal may be kept');
      assert.match(
        (await run(`${create} desk --host 0.0.0.0 --api-auth key`)).complaint,
        /=http:\/\/127\.0\.0\.1:4200\/api\n/,
      );
      assert.equal((await run(`${create} script --json`)).complaint, '');
    });

    test('keys are listed without their secrets, limited, and revoked', async () => {
      await answerOf('users create --email admin@example.com --organization default --role admin');
      const admin = callerWith(server, (await run('keys create --user admin@example.com --descriptor a')).out.trim());
      const made = await admin.post('/organizations/default/service-accounts', { name: 'bot' });
      const bot = '--service-account bot --organization default';
      const second = await answerOf(`keys create ${bot} --descriptor second`);
      const third = await run(`keys create ${bot} --descriptor third`);
      assert.equal(third.code, 2);
      assert.match(third.complaint, /2 active keys already.*"second"/);
      const listed = await answerOf(`keys list ${bot}`);
      assert.equal(listed.length, 2);
      assert.deepEqual(
        listed.map(({ owner, organization, state }: Record<string, string>) => [owner, organization, state]),
        [
          ['bot', 'default', 'active'],
          ['bot', 'default', 'active'],
        ],
      );
      const everything = await run('keys list');
      for (const secret of [second.secret, made.body.secret, admin.key]) {
        assert.ok(!everything.out.includes(secret) && !JSON.stringify(listed).includes(secret));
      }
      assert.match(everything.out, /^ID +STATE +OWNER/);
      assert.match(everything.out, /admin@example\.com/);
      assert.equal((await run(`keys revoke --id ${second.id}`)).code, 0);
      assert.equal((await callerWith(server, second.secret).get('/me')).status, 401);
      assert.equal((await run(`keys revoke --id ${second.id}`)).code, 2, 'once');
      assert.equal((await run('keys revoke --id no-id')).code, 2);
      assert.equal((await run(`keys create ${bot} --descriptor third`)).code, 0);
      const { items } = (await admin.get('/organizations/default/audit?limit=5')).body;
      const revoked = items.find(({ action }: { action: string }) => action === 'api_key.revoke');
      assert.deepEqual([revoked.actorName, revoked.targetName], ['operator', 'bot']);
    });

    test('what is typed wrong is told in one sentence', async () => {
      const wrong = {
        'users remove': /--email is needed/,
        'users password': /--email is needed/,
        'keys revoke': /--id is needed/,
        'keys create --descriptor x': /Either --user or --service-account/,
        'keys create --user a@b': /--descriptor is needed/,
        'keys list --user nobody@example.com': /There is no user/,
        'keys list --user a@b --service-account c': /not both/,
        'users something': /signalbox users list/,
      };
      for (const [command, sentence] of Object.entries(wrong)) {
        const { code, complaint } = await run(command);
        assert.equal(code, 2, command);
        assert.match(complaint, sentence);
      }
    });

    test('what devices call themselves does nothing to the terminal', async () => {
      await answerOf('users create --email esc@example.com --organization default --role member');
      const begun = new URLSearchParams({ client_id: 'x', device_name: '\u001b[2Jgone\nsbx' }).toString();
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      const device = (await server.request('POST', '/api/v0/oauth/device/authorization', begun, form)).body;
      await changePassword('esc@example.com', 'correct horse battery');
      const browser = openBrowser(server);
      await browser.post('/sign-in', { email: 'esc@example.com', password: 'correct horse battery' });
      await browser.open(`/oauth/device?user_code=${device.user_code}`);
      await browser.post('/oauth/device', { user_code: device.user_code, decision: 'approve' });
      const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
      const poll = new URLSearchParams({ grant_type, client_id: 'x', device_code: device.device_code }).toString();
      assert.equal((await server.request('POST', '/api/v0/oauth/device/token', poll, form)).status, 200);
      const { out } = await run('keys list --user esc@example.com');
      assert.ok(out.includes('gone') && !out.includes('\u001b'));
      assert.equal(out.trimEnd().split('\n').length, 2);
    });
  });
}

test('each start prints a link to set up, which ends the one before, until somebody can sign in', async () => {
  const home = await mkdtemp(join(tmpdir(), 'signalbox-start-'));
  const start = async (until: RegExp) => {
    const child = spawn(process.execPath, [program, 'server', 'start', '--port', '0', '--home', home], {
      env: { PATH: process.env['PATH'], SIGNALBOX_LOG_LEVEL: 'silent' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let told = '';
    child.stdout.setEncoding('utf8');
    while (!until.test(told)) told += await once(child.stdout, 'data').then(([data]) => data as string);
    child.stdout.on('data', (data: string) => {
      told += data;
    });
    /** Answers all that was printed. */
    const stop = async () => {
      child.kill('SIGTERM');
      await once(child, 'close');
      return told;
    };
    return { link: /http:\S+\/setup\?token=\S+/.exec(told)?.[0] ?? '', stop };
  };
  const first = await start(/setup\?token=\S+\n/);
  assert.equal((await fetch(first.link)).status, 200);
  await first.stop();
  const second = await start(/setup\?token=\S+\n/);
  assert.notEqual(second.link.split('?')[1], first.link.split('?')[1]);
  const { origin } = new URL(second.link);
  assert.equal((await fetch(`${origin}/setup?${first.link.split('?')[1]}`)).status, 404);
  const body = new URLSearchParams({ name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' });
  const made = await fetch(second.link, { method: 'POST', body, headers: { origin }, redirect: 'manual' });
  assert.equal(made.status, 303);
  await second.stop();
  const third = await start(/docs\n/);
  assert.doesNotMatch(await third.stop(), /setup/);
  await rm(home, { recursive: true });
});
