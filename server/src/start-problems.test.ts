/** Runs the program with common mistakes: each prints one sentence that names the setting, and no stack. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { startPostgres } from '../test/support/postgres.ts';
import { program, runProgram } from '../test/support/program.ts';
import { until } from '../test/support/until.ts';
import { readConfig } from './config.ts';
import { openStore } from './database/opening/connect.ts';
import { ConfigError } from './errors.ts';
import { findBubblewrap, programOnPath } from './mcp/hosting/host/runner/bubblewrap.ts';
import { settings } from './settings/all.ts';
import { makeHome } from './settings/home-folder.ts';

describe('a start that fails', { concurrency: 3 }, () => {
  let folder: string;
  let homes = 0;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'signalbox-mistakes-'));
  });
  after(async () => {
    await rm(folder, { recursive: true });
  });

  /** The program's line on stderr, which must be the only one, and its exit code. */
  const refused = async (args: readonly string[], environment: Record<string, string> = {}) => {
    const { code, err, out } = await runProgram(['server', 'start', '--port', '0', ...args], {
      SIGNALBOX_HOME: join(folder, `home-${++homes}`),
      // Log lines before the start fails are not about the mistake.
      SIGNALBOX_LOG_LEVEL: 'warn',
      ...environment,
    });
    assert.equal(code, 2, err);
    assert.equal(out, '');
    assert.match(err, /^[^\n]+\.\n$/, 'one sentence, and no stack');
    return err;
  };
  const url = (address: string) => ['--database-url', address];
  /** The message about a database; the tests around this one cover how the program shows it. */
  const unopened = (address: string) =>
    openStore(readConfig({ 'database-url': address }, {}).databaseUrl).then(
      () => assert.fail(`${address} was opened`),
      (error: unknown) => {
        assert.ok(error instanceof ConfigError, String(error));
        assert.match(error.message, /^[^\n]+\.$/);
        return error.message;
      },
    );
  /** The same for settings. */
  const unread = (environment: Record<string, string>) => {
    try {
      readConfig({}, environment);
    } catch (error) {
      assert.ok(error instanceof ConfigError);
      return error.message;
    }
    return assert.fail('no message');
  };

  test('with a sandbox that is not available', { skip: process.platform !== 'linux' }, async () => {
    const folders = { none: join(folder, 'no-bwrap'), denied: join(folder, 'denied-bwrap') };
    for (const path of Object.values(folders)) await mkdir(path);
    const bwrap = '#!/bin/sh\necho "bwrap: No permissions to create new namespace" >&2\nexit 1\n';
    await writeFile(join(folders.denied, 'bwrap'), bwrap, { mode: 0o755 });
    const sandbox = (path: string) => ({ SIGNALBOX_HOSTING: 'sandbox', PATH: path });
    assert.match(await refused([], sandbox(folders.none)), /SIGNALBOX_HOSTING=sandbox .*bwrap\) is not installed/);
    assert.match(await refused([], sandbox(folders.denied)), /SIGNALBOX_HOSTING=sandbox .*No permissions to create/);
  });

  test('as root, with programs that would have its rights', {
    skip: process.getuid?.() !== 0 && 'needs to run as root',
  }, async () => {
    assert.match(await refused(['--hosting', 'process']), /SIGNALBOX_HOSTING=process does not work as root/);
  });

  test('with a separate network for programs that is not available', {
    skip: typeof findBubblewrap() === 'string' && 'needs bubblewrap',
  }, async () => {
    const place = join(folder, 'no-network');
    await mkdir(place);
    const bwrap = `#!/bin/sh
      case "$*" in *--unshare-net*) echo "bwrap: loopback: Failed RTM_NEWADDR" >&2; exit 1;; esac
      exec ${programOnPath('bwrap')} "$@"\n`;
    await writeFile(join(place, 'bwrap'), bwrap, { mode: 0o755 });
    const variables = { SIGNALBOX_HOSTING: 'sandbox', PATH: `${place}:/usr/bin:/bin` };
    const said = await refused([], { ...variables, SIGNALBOX_HOSTING_NETWORK: 'own' });
    assert.match(said, /SIGNALBOX_HOSTING_NETWORK=own .*Failed RTM_NEWADDR/);
    // When it is not required, the start reports what programs get instead.
    const environment = { ...variables, SIGNALBOX_HOME: join(folder, `home-${++homes}`) };
    const { out } = await runProgram(['server', 'start', '--port', '0'], environment, /hosting .*machine/);
    assert.match(out, /in the network of this machine: bwrap: loopback: Failed RTM_NEWADDR/);
  });

  test('with a home folder that lies below a file, or cannot be created', async () => {
    const file = join(folder, 'a-file');
    await writeFile(file, '');
    const notMade = (home: string) => {
      try {
        makeHome(home);
      } catch (error) {
        assert.ok(error instanceof ConfigError);
        return error.message;
      }
      return assert.fail(`${home} was created`);
    };
    assert.match(notMade(join(file, 'below')), /below is a file or lies below one.*SIGNALBOX_HOME/);
    if (process.platform === 'linux') assert.match(notMade('/proc/none/such'), /SIGNALBOX_HOME/);
  });

  test('with a database file that is damaged, or an address that names none', async () => {
    const sound = join(folder, 'sound.db');
    await (await openStore(`sqlite:${sound}`)).close();
    const python = await refused(url(`sqlite:///${join(folder, 'new.db').slice(1)}`));
    assert.ok(python.includes(`SIGNALBOX_DATABASE_URL=sqlite:${join(folder, 'new.db')} `), python);
    if (process.platform !== 'win32') assert.match(await refused(url('sqlite:/dev/null')), /is not a file/);
    assert.ok(!existsSync(join(folder, 'new.db')) && !existsSync(join(folder, 'new.db.lock')));
    for (const [address, said] of [
      ['sqlite:///:memory:', /in memory/],
      ['sqlite:file:/x.db?mode=memory', /without file: and parameters/],
      ['sqlite:/x.db?mode=ro', /without file: and parameters/],
      [`sqlite:${folder}/`, /not a folder/],
    ] as const) {
      assert.match(unread({ SIGNALBOX_DATABASE_URL: address }), said);
    }
    const bytes = readFileSync(sound);
    bytes.fill(0xa5, 4096);
    const damaged = join(folder, 'damaged.db');
    await writeFile(damaged, bytes);
    assert.match(await refused(url(`sqlite:${damaged}`)), /damaged\.db is damaged/);
  });

  test('with a database of another program, a Prefect server, newer code or a pre-release, which stays unchanged', async () => {
    const made = (name: string, ...statements: string[]) => {
      const file = join(folder, name);
      const database = new DatabaseSync(file);
      for (const statement of statements) database.exec(statement);
      database.close();
      return file;
    };
    const cases: Record<string, [string, RegExp]> = {
      other: [made('other.db', 'create table customer (id integer)'), /other\.db belongs to another program/],
      namesake: [made('namesake.db', 'create table migration (version integer)'), /belongs to another program/],
      prefect: [
        made('prefect.db', 'create table alembic_version (n text)', 'create table flow_run (id text)'),
        /prefect\.db belongs to a Prefect server/,
      ],
      older: [
        made(
          'older.db',
          'create table migration (name text primary key, applied text not null)',
          "insert into migration values ('0001-workspaces', ''), ('0110-removals', '')",
          'create table workspace (key integer primary key)',
        ),
        /older\.db was made by a version of Signalbox from before its first release.*SIGNALBOX_DATABASE_URL/,
      ],
    };
    for (const [file, sentence] of Object.values(cases)) {
      const before = readFileSync(file);
      assert.match(await unopened(`sqlite:${file}`), sentence);
      assert.deepEqual(readFileSync(file), before);
      assert.ok(!existsSync(`${file}-wal`));
    }
    const newer = join(folder, 'newer.db');
    await (await openStore(`sqlite:${newer}`)).close();
    made('newer.db', "insert into migration (name, applied) values ('9999-from-the-future', '')");
    assert.match(await unopened(`sqlite:${newer}`), /newer\.db was written by a newer version.*9999-from-the-future/);
  });

  if (process.env['SIGNALBOX_TEST_POSTGRES_URL']) {
    test('with a PostgreSQL database that is missing, needs another user, or belongs to another program or a pre-release', async () => {
      const postgres = await startPostgres();
      assert.ok(postgres);
      const address = await postgres.createDatabase();
      const missing = new URL(address);
      missing.pathname = '/no_such_database';
      assert.match(await unopened(missing.href), /has no database "no_such_database".*createdb/);
      const stranger = new URL(address);
      stranger.username = 'no_such_user';
      stranger.password = 'hunter2';
      const said = await unopened(stranger.href);
      assert.match(said, /the user "no_such_user"/);
      assert.doesNotMatch(said, /hunter2/);
      const encrypted = await unopened(`${address.replace('postgres:', 'postgresql+asyncpg:')}?ssl=require`);
      assert.match(encrypted, /encrypted connections|certificate/);
      const { default: pg } = await import('pg');
      const client = new pg.Client(address);
      await client.connect();
      await client.query('create table customer (id integer)');
      assert.match(await unopened(address), /belongs to another program.*Name an empty database/);
      const { rows } = await client.query(
        'select count(*)::int as tables from pg_tables where schemaname = current_schema()',
      );
      assert.deepEqual(rows, [{ tables: 1 }], 'no file was created beside it');
      await client.query('drop table customer');
      await client.query('create table migration (name text primary key, applied text not null)');
      await client.query("insert into migration values ('0001-workspaces', '')");
      assert.match(await unopened(address), /^The database ".*" of PostgreSQL at .* from before its first release/);
      await client.end();
      await postgres.stop();
    });
  }
});

test('two programs that open a new SQLite file together migrate it once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-together-'));
  const url = `sqlite:${join(folder, 'new.db')}`;
  const open = `const { openStore } = await import(${JSON.stringify(join(import.meta.dirname, 'database/opening/connect.ts'))});
    await (await openStore(${JSON.stringify(url)})).close();`;
  const codes = await Promise.all(
    [1, 2, 3].map(async () => {
      const child = spawn(process.execPath, ['--input-type=module', '--eval', open], { stdio: 'inherit' });
      return (await once(child, 'close'))[0] as number | null;
    }),
  );
  assert.deepEqual(codes, [0, 0, 0]);
  await rm(folder, { recursive: true });
});

describe('settings', () => {
  test('each refuses invalid values, with one sentence that names it', () => {
    const nonsense = 'no such thing/\u0000';
    for (const setting of Object.values(settings)) {
      if (!('check' in setting)) continue;
      assert.throws(
        () => readConfig({}, { [setting.name]: setting.name === 'SIGNALBOX_HOME' ? '' : nonsense }),
        (error: Error) => error.message.startsWith(`${setting.name} `) && error.message.endsWith('.'),
        setting.name,
      );
    }
  });

  test('database addresses are read in the spellings of the reference server and its driver', () => {
    const read = (address: string, name = 'PREFECT_SERVER_DATABASE_CONNECTION_URL') =>
      readConfig({}, { [name]: address }).databaseUrl;
    const plain = 'postgres://u:p@db:5433/x';
    for (const scheme of ['postgres', 'postgresql', 'postgresql+asyncpg']) {
      assert.equal(read(`${scheme}://u:p@db:5433/x`), plain);
      assert.equal(read(`${scheme}://u:p@db:5433/x`, 'PREFECT_API_DATABASE_CONNECTION_URL'), plain);
    }
    assert.equal(read('postgresql+asyncpg://u:p@db:5433/x?ssl=require'), `${plain}?sslmode=verify-full`);
    assert.equal(read('postgresql://u:p@db:5433/x?sslmode=disable'), `${plain}?sslmode=disable`);
    const both = { SIGNALBOX_DATABASE_URL: 'sqlite:/a.db', PREFECT_API_DATABASE_CONNECTION_URL: plain };
    assert.equal(readConfig({}, both).databaseUrl, 'sqlite:/a.db', 'our own name wins');
  });
});

test('a command on a home without a database reports it, and creates none', async () => {
  const home = await mkdtemp(join(tmpdir(), 'signalbox-wrong-home-'));
  const users = ['users', 'list', '--home', join(home, 'wrong')];
  const { code, err } = await runProgram(users, {});
  assert.equal(code, 2);
  assert.match(err, /^The database \S+wrong\/signalbox\.db has never been used by Signalbox.*SIGNALBOX_HOME.*\n$/);
  assert.ok(!existsSync(join(home, 'wrong')));
  await mkdir(join(home, 'wrong'));
  assert.equal((await runProgram(users, {})).code, 2);
  assert.ok(!existsSync(join(home, 'wrong', 'signalbox.db')));
  await rm(home, { recursive: true });
});

describe('a server that listens on every address', () => {
  const own = Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .filter(({ internal }) => !internal)
    .map(({ address }) => address);

  test('prints a setup link that works from other machines', async () => {
    const link = await linkOf({ SIGNALBOX_HOST: '0.0.0.0', SIGNALBOX_API_AUTH_STRING: 'a:b' });
    assert.doesNotMatch(link, /0\.0\.0\.0/);
    if (own.length > 0) assert.ok(own.includes(new URL(link).hostname.replace(/[[\]]/g, '')), link);
  });

  test('prints the link below its public address when it has one', async () => {
    const environment = {
      SIGNALBOX_HOST: '::',
      SIGNALBOX_API_AUTH_STRING: 'a:b',
      SIGNALBOX_PUBLIC_URL: 'https://sb.example',
    };
    assert.match(await linkOf(environment), /^https:\/\/sb\.example\/setup\?token=/);
  });

  async function linkOf(environment: Record<string, string>): Promise<string> {
    const home = await mkdtemp(join(tmpdir(), 'signalbox-link-'));
    const child = spawn(process.execPath, [program, 'server', 'start', '--port', '0', '--home', home], {
      env: { PATH: process.env['PATH'], ...environment },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    child.stdout.setEncoding('utf8');
    let told = '';
    while (!/setup\?token=\S+\n/.test(told)) told += await once(child.stdout, 'data').then(([data]) => data as string);
    child.kill('SIGTERM');
    await once(child, 'close');
    await rm(home, { recursive: true });
    return /\S+\/setup\?token=\S+/.exec(told)?.[0] ?? '';
  }
});

test('a server that npm started stops when npm does', {
  skip: process.platform === 'win32' && 'needs a shell',
}, async () => {
  const home = await mkdtemp(join(tmpdir(), 'signalbox-of-npm-'));
  // npm has a shell between it and the program, which does not pass signals on.
  const shell = spawn('/bin/sh', ['-c', `"${process.execPath}" "${program}" server start --port 0; true`], {
    env: { PATH: process.env['PATH'], HOME: tmpdir(), SIGNALBOX_HOME: home, npm_lifecycle_event: 'start' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let told = '';
  shell.stdout.on('data', (chunk: Buffer) => (told += chunk));
  await until('the server is ready', () => told.includes('is ready'));
  shell.kill('SIGTERM');
  // The program holds this pipe too, so it closes when both have ended.
  await once(shell.stdout, 'close');
  const url = /dashboard\s+(\S+)/.exec(told)?.[1] ?? '';
  await assert.rejects(fetch(url), TypeError);
  await rm(home, { recursive: true });
});

test('a pod beside a Service called signalbox starts, and logs the ignored variables once', async () => {
  const home = await mkdtemp(join(tmpdir(), 'signalbox-pod-'));
  const links = {
    SIGNALBOX_SERVICE_HOST: '10.0.0.7',
    SIGNALBOX_SERVICE_PORT: '4200',
    SIGNALBOX_SERVICE_PORT_HTTP_API: '4200',
    SIGNALBOX_PORT: 'tcp://10.0.0.7:4200',
    SIGNALBOX_PORT_4200_TCP: 'tcp://10.0.0.7:4200',
    SIGNALBOX_PORT_4200_TCP_ADDR: '10.0.0.7',
    SIGNALBOX_PORT_4200_TCP_PORT: '4200',
    SIGNALBOX_PORT_4200_TCP_PROTO: 'tcp',
    SIGNALBOX_METRICS_PORT: 'tcp://10.0.0.8:9464',
    SIGNALBOX_METRICS_PORT_9464_TCP_ADDR: '10.0.0.8',
    SIGNALBOX_POSTGRES_SERVICE_HOST: '10.0.0.9',
  };
  const { out, err } = await runProgram(
    ['server', 'start', '--port', '0', '--home', home],
    links,
    /Signalbox is ready\./,
  );
  const lines = err.split('\n').filter((line) => line.includes('Kubernetes'));
  assert.equal(lines.length, 1, out + err);
  assert.deepEqual(JSON.parse(lines[0] ?? '').variables.toSorted(), Object.keys(links).toSorted());
  assert.equal(readConfig({}, links).port, Number(settings.port.fallback));
  assert.equal(readConfig({}, { ...links, SIGNALBOX_PORT: '4300' }).port, 4300);
  for (const name of [
    'SIGNALBOX_PORT_4200',
    'SIGNALBOX_SERVICE',
    'SIGNALBOX_SERVICE_HOSTS',
    'SIGNALBOX_PORT_4200_TCP_IP',
  ]) {
    assert.throws(() => readConfig({}, { [name]: '1' }), new RegExp(`${name} is not a setting`));
  }
  await rm(home, { recursive: true });
});
