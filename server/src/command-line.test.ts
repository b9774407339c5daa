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
import { allCommands, commands } from './command-line.ts';
import { npmFlags } from './commands/npm-flags.ts';
import { ConfigError } from './errors.ts';

const program = join(import.meta.dirname, 'main.js');

for (const database of databases) {
  describe(`operators' commands beside a server on ${database}`, () => {
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
        // Any other error is a bug, and the program shows it as one.
        if (!(error instanceof ConfigError)) throw error;
        return { out: printed.log.join(''), complaint: error.message, code: 2 };
      } finally {
        mock.restoreAll();
      }
    };
    /** Runs as a process of its own, which reads the password from standard input. */
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

    test('users are created, listed, given a password and removed', async () => {
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
      assert.equal((await browser.open('/signed-in')).status, 303, 'signed out');
      assert.equal((await run('users remove --email bob@example.com')).code, 2);
      await answerOf('users create --email bob@example.com --organization default --role member');
      assert.equal((await callerWith(server, key).get('/me')).status, 401, 'nothing comes back');
    });

    test('making a key prints the settings that a client needs, and only the key goes to stdout', async () => {
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
      assert.ok(!complaint.includes('sbx_'), 'stderr may be stored when it is not a terminal');
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
      assert.match((await run('keys revoke --id no-id')).complaint, /There is no active key no-id\./);
      const away = ['--database-url', 'postgres://signalbox@127.0.0.1:1/none'];
      await assert.rejects(commands(['keys', 'create', ...away]), /--descriptor is required/);
      assert.equal((await run(`keys create ${bot} --descriptor third`)).code, 0);
      const { items } = (await admin.get('/organizations/default/audit?limit=5')).body;
      const revoked = items.find(({ action }: { action: string }) => action === 'api_key.revoke');
      assert.deepEqual([revoked.actorName, revoked.targetName], ['operator', 'bot']);
    });

    test('a script creates an organization, a workspace, an account, a role and a key, and each is audited', async () => {
      await answerOf('users create --email root@example.com --role admin');
      const made = await answerOf('organizations create --slug acme --name Acme --admin root@example.com');
      assert.equal((await run('organizations create --slug acme')).complaint, 'The slug "acme" is taken.');
      assert.match((await run('organizations create --slug Acme')).complaint, /--slug: .*lower-case/);
      assert.match((await run('organizations create --slug b --admin no@example.com')).complaint, /no user no@example/);
      assert.deepEqual(
        (await answerOf('organizations list')).map(({ slug }: { slug: string }) => slug),
        ['acme', 'default'],
      );
      const place = '--organization acme';
      const workspace = await answerOf(`workspaces create --handle etl ${place}`);
      assert.match(
        (await run(`workspaces create --handle etl ${place}`)).complaint,
        /already has a workspace with the handle "etl"/,
      );
      assert.match((await run('workspaces create --handle x --organization=-')).complaint, /no organization "-"/);
      assert.match((await run('workspaces create --handle x --organization none')).complaint, /no organization "none"/);
      assert.deepEqual(
        (await answerOf(`workspaces list ${place}`)).map(({ id, handle }: Record<string, string>) => [id, handle]),
        [[workspace.id, 'etl']],
      );
      const account = await answerOf(`service-accounts create --name etl-bot ${place}`);
      assert.match(
        (await run(`service-accounts create --name etl-bot ${place}`)).complaint,
        /already has a service account named "etl-bot"/,
      );
      assert.match(
        (await run(`service-accounts create --name b --role king ${place}`)).complaint,
        /^--role must be one of/,
      );
      const key = (await run(`keys create --service-account etl-bot ${place} --descriptor deploy`)).out.trim();
      assert.equal(workspace.path, '/api/accounts/acme/workspaces/etl');
      const flows = () =>
        server.request('GET', `${workspace.path}/flows/`, undefined, { authorization: `Bearer ${key}` });
      assert.equal((await flows()).status, 403);
      const grant = `workspaces grant --workspace etl --service-account etl-bot ${place} --role`;
      assert.match((await run(`${grant} king`)).complaint, /^--role must be one of/);
      assert.equal((await run(`${grant} editor`)).code, 0);
      assert.equal((await flows()).status, 200);
      const blocks = `${workspace.path}/block_types/slug/secret`;
      const block = await server.request('GET', blocks, undefined, { authorization: `Bearer ${key}` });
      assert.equal(block.status, 200, 'the workspace is ready for clients');
      assert.equal((await run(`service-accounts suspend --name etl-bot ${place}`)).code, 0);
      assert.notEqual((await flows()).status, 200);
      assert.deepEqual((await answerOf(`service-accounts list ${place}`))[0].state, 'suspended');
      assert.equal((await run(`service-accounts resume --name etl-bot ${place}`)).code, 0);
      assert.equal((await flows()).status, 200);
      assert.equal((await run(`service-accounts remove --name etl-bot ${place}`)).code, 0);
      assert.equal((await flows()).status, 403);
      assert.match((await run(`service-accounts remove --name etl-bot ${place}`)).complaint, /no service account/);
      const admin = callerWith(server, (await run('keys create --user root@example.com --descriptor a')).out.trim());
      const { items } = (await admin.get('/organizations/acme/audit?limit=50')).body;
      assert.deepEqual(
        items.map(({ action, actorType }: Record<string, string>) => `${actorType} ${action}`).reverse(),
        [
          'organization.create',
          'workspace.create',
          'service_account.create',
          'api_key.create',
          'grant.set',
          'service_account.suspend',
          'service_account.resume',
          'service_account.delete',
        ].map((action) => `operator ${action}`),
      );
      assert.deepEqual([items.at(-3).targetId, items.at(-1).targetId], [account.id, made.id]);
    });

    test('each typing error gets an error of one sentence', async () => {
      const wrong = {
        'users remove': /--email is required/,
        'users password': /--email is required/,
        'keys revoke': /--id is required/,
        'keys create --descriptor x': /Give --user or --service-account\.$/,
        'keys create --user a@b': /--descriptor is required/,
        'keys list --user nobody@example.com': /There is no user/,
        'keys list --user a@b --service-account c': /not both/,
        'users something': /^Unknown command "users something"\. "signalbox --help" lists all\.$/,
        'users crate': /^Unknown command "users crate"\. Did you mean "users create"/,
        users: /^Unknown command "users"\. There are: users create, users list/,
        'users list --handle x': /"signalbox users list" does not accept --handle/,
        'users lst --prot 1': /Unknown option '--prot'. Did you mean --port/,
        'organizations create': /--slug is required/,
        'workspaces create': /--handle is required/,
        'service-accounts create': /--name is required/,
      };
      for (const [command, sentence] of Object.entries(wrong)) {
        const { code, complaint } = await run(command);
        assert.equal(code, 2, command);
        assert.match(complaint, sentence);
      }
    });

    test('control characters in device names do not reach the terminal', async () => {
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

describe('values that a command does not know', () => {
  const refusal = (words: string, ...flags: string[]) =>
    commands([...words.split(' '), ...flags, '--home', '/nowhere/at-all']).then(
      () => assert.fail(`${words} was run`),
      (error: Error) => {
        assert.ok(error instanceof ConfigError, String(error));
        return error.message;
      },
    );

  test('are refused with the nearest one, before the database is opened', async () => {
    const choosing = allCommands.filter(({ choices }) => choices !== undefined);
    for (const { words, choices = {} } of choosing) {
      for (const [flag, known = []] of Object.entries(choices)) {
        const [first = ''] = known;
        const mistyped = `${first.slice(0, -1)}x${first.slice(-1)}`;
        const said = await refusal(words, `--${flag}`, mistyped);
        assert.ok(said.startsWith(`--${flag} must be one of ${known.join(', ')}, but is "${mistyped}".`), said);
        assert.ok(/ Did you mean .*\?$/.test(said) && said.includes(first), said);
      }
    }
    const closed = new Set(['role', 'default-role', 'shell', 'method']);
    for (const { words, flags, choices = {} } of allCommands) {
      for (const flag of flags.map((name) => name.replace('?', ''))) {
        assert.equal(closed.has(flag), flag in choices, `${words} --${flag}`);
      }
    }
  });

  test('are words behind a command, or a command that help is asked for', async () => {
    assert.match(await refusal('keys list mine'), /"signalbox keys list" accepts only flags, not "mine"\./);
    assert.match(await refusal('help kyes'), /^Unknown command "kyes"\. .*keys/);
    assert.match(await refusal('kyes list', '--help'), /^Unknown command "kyes list"\. Did you mean "keys list"/);
  });
});

describe('help', () => {
  const printed = async (...argv: string[]) => {
    const lines: string[] = [];
    mock.method(console, 'log', (line: string) => lines.push(line));
    try {
      assert.equal(await commands(argv), 0);
    } finally {
      mock.restoreAll();
    }
    return lines.join('\n');
  };

  test('--help lists every command, and each command lists its flags', async () => {
    const all = await printed('--help');
    const lines = all.split('\n').filter((line) => line.startsWith('npm run -s signalbox -- '));
    assert.ok(lines.length > 15);
    for (const line of lines) {
      const words = line.slice('npm run -s signalbox -- '.length).split(/ [[-]/)[0] ?? '';
      const help = await printed(...words.split(' '), '--help');
      assert.ok(help.startsWith(line), words);
      for (const [flag] of line.matchAll(/--[a-z-]+/g)) assert.match(help, new RegExp(`\\n *${flag} `), words);
      assert.equal(await printed('help', ...words.split(' ')), help);
    }
    assert.match(await printed('server', 'start', '--help'), /--port +Port to listen on/);
    assert.match(await printed('keys', '-h'), /keys create[\s\S]*keys revoke/);
    assert.doesNotMatch(await printed('keys', '-h'), /users create/);
  });

  test('every command takes --json, and the help has no colours where it is not a terminal', async () => {
    assert.deepEqual(
      allCommands.filter(({ json }) => !json).map(({ words }) => words),
      [],
    );
    assert.ok(!(await printed('--help')).includes('\u001b'));
  });

  test('--version prints the version, also for a command', async () => {
    assert.match(await printed('--version'), /^signalbox \d+\.\d+\.\d+$/);
    assert.equal(await printed('server', 'start', '--version'), await printed('-V'));
  });
});

describe('flags that npm consumed', () => {
  const start = ['server', 'start'];
  const npm = (variables: Record<string, string>) => ({ npm_lifecycle_event: 'start', ...variables });

  test('become flags of the server, in the form that each version of npm passes them', () => {
    const port = { words: start, flags: { port: '4300' } };
    assert.deepEqual(npmFlags(start, {}, npm({ npm_config_port: '4300' })), port);
    assert.deepEqual(npmFlags([...start, '4300'], {}, npm({ npm_config_port: 'true' })), port);
    const both = npm({ npm_config_port: 'true', npm_config_database_url: 'sqlite:x' });
    assert.deepEqual(npmFlags([...start, '4300'], {}, both).flags, { port: '4300', 'database-url': 'sqlite:x' });
    assert.deepEqual(npmFlags(start, {}, npm({ npm_config_allow_open_access: 'true' })).flags, {
      'allow-open-access': 'true',
    });
  });

  test('yield to flags behind --, and are ignored outside npm', () => {
    assert.deepEqual(npmFlags(start, { port: '1' }, npm({ npm_config_port: '4300' })).flags, { port: '1' });
    assert.deepEqual(npmFlags(start, {}, { npm_config_port: '4300' }).flags, {});
  });

  test('are refused when their values cannot be assigned', () => {
    const mixed = npm({ npm_config_port: 'true', npm_config_host: 'true' });
    assert.throws(() => npmFlags([...start, '::', '4300'], {}, mixed), /npm start -- --host <value> --port <value>/);
  });
});

test('each start prints a setup link, and all are valid until an account exists', async () => {
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
    /** Returns the whole output. */
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
  const earlier = `${origin}/setup?${first.link.split('?')[1]}`;
  assert.equal((await fetch(earlier)).status, 200);
  const body = new URLSearchParams({ name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' });
  const made = await fetch(second.link, { method: 'POST', body, headers: { origin }, redirect: 'manual' });
  assert.equal(made.status, 303);
  assert.equal((await fetch(earlier)).status, 404);
  await second.stop();
  const third = await start(/docs\n/);
  assert.doesNotMatch(await third.stop(), /setup/);
  await rm(home, { recursive: true });
});
