/** Commands in another terminal than the server's, which know its home folder and nothing else. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startPostgres, type TestPostgres } from '../../test/support/postgres.ts';
import { databases } from '../../test/support/server.ts';

const program = join(import.meta.dirname, '../main.js');
const KEY = Buffer.alloc(32, 7).toString('base64');
const PASSWORD = 'hunter2';

type Variables = Readonly<Record<string, string>>;

function begin(words: readonly string[], variables: Variables): ChildProcess {
  const env = { PATH: process.env['PATH'], HOME: tmpdir(), SIGNALBOX_LOG_LEVEL: 'warn', ...variables };
  return spawn(process.execPath, [program, ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** What a command prints. It has no settings but those that are given. */
async function run(words: string, variables: Variables = {}) {
  const child = begin(words.split(' '), variables);
  const printed = { out: '', err: '' };
  child.stdout?.on('data', (chunk: Buffer) => (printed.out += chunk));
  child.stderr?.on('data', (chunk: Buffer) => (printed.err += chunk));
  const [code] = (await once(child, 'close')) as [number];
  return { code, ...printed };
}

/** Resolves once it is ready. */
async function start(home: string, variables: Variables) {
  const child = begin(['server', 'start', '--home', home, '--port', '0', '--hosting', 'off', '--json'], variables);
  child.stderr?.resume();
  const [line] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  const { url } = JSON.parse(String(line)) as { url: string };
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, 'exit');
  };
  return { url, pid: child.pid, end };
}

const filesOf = (home: string) => readdirSync(join(home, 'running'));
/** Nothing here differs from the server, so stderr tells nothing. */
const quiet = { SIGNALBOX_LOG_LEVEL: 'warn' };

for (const database of databases) {
  describe(`commands beside a server on ${database}`, () => {
    let home: string;
    let postgres: TestPostgres | undefined;
    let databaseUrl: string;
    let server: Awaited<ReturnType<typeof start>>;
    before(async () => {
      home = await mkdtemp(join(tmpdir(), 'signalbox-beside-'));
      postgres = database === 'postgres' ? await startPostgres() : undefined;
      if (postgres) {
        const url = new URL(await postgres.createDatabase());
        url.password ||= PASSWORD;
        databaseUrl = url.href;
      } else databaseUrl = `sqlite:${join(home, 'elsewhere.db')}`;
      server = await start(home, {
        SIGNALBOX_DATABASE_URL: databaseUrl,
        SIGNALBOX_ENCRYPTION_KEY: KEY,
        SIGNALBOX_API_AUTH_STRING: `admin:${PASSWORD}`,
        SIGNALBOX_ALLOW_PRIVATE_TARGETS: 'true',
      });
    });
    after(async () => {
      await server.end('SIGKILL');
      await postgres?.stop();
      await rm(home, { recursive: true });
    });

    test('act on its database and name its address', async () => {
      const made = await run(`users create --email ada@example.com --role admin --home ${home}`, quiet);
      assert.deepEqual([made.code, made.err], [0, '']);
      const { out, err } = await run(`keys create --user ada@example.com --descriptor x --home ${home}`, quiet);
      assert.match(err, new RegExp(`PREFECT_API_URL=${server.url}/api\n`));
      const headers = { authorization: `Bearer ${out.trim()}` };
      assert.equal((await fetch(`${server.url}/api/v0/me`, { headers })).status, 200);
      assert.ok(!existsSync(join(home, 'signalbox.db')), 'no other database was made');
    });

    test('the doctor asks it at its port', async () => {
      const { out, code } = await run(`doctor --json --home ${home}`, quiet);
      const said = (subject: string) =>
        JSON.parse(out).find((finding: { subject: string }) => finding.subject === subject);
      assert.deepEqual([code, said('server').state, said('access').state], [0, 'ok', 'ok']);
      assert.match(said('server').says, new RegExp(server.url));
      assert.match(said('secrets').says, /encryption key from its environment/);
    });

    test('a flag or variable that says something else wins, and is told', async () => {
      const other = join(home, 'other.db');
      const words = `users list --home ${home}`;
      for (const [result, origin] of [
        [await run(words, { SIGNALBOX_DATABASE_URL: `sqlite:${other}` }), 'environment SIGNALBOX_DATABASE_URL'],
        [await run(`${words} --database-url sqlite:${other}`), 'flag --database-url'],
      ] as const) {
        assert.equal(
          result.err.split('\n')[0],
          `The server that runs on ${home} (process ${server.pid}) has other settings than this command: SIGNALBOX_DATABASE_URL (${origin}). The command uses its own.`,
        );
        assert.match(result.err, /other\.db has never been used by Signalbox/);
        assert.ok(!result.err.includes(PASSWORD));
      }
      const same = await run(words, { SIGNALBOX_DATABASE_URL: databaseUrl, SIGNALBOX_PORT: '0' });
      assert.deepEqual([same.code, same.err], [0, ''], 'the same database, and a port that the server chose');
    });

    test('settings that are printed are those of the next start, beside those of the server', async () => {
      const { out } = await run(`config port --json --home ${home}`, { SIGNALBOX_PORT: '4300' });
      assert.deepEqual(JSON.parse(out), {
        name: 'SIGNALBOX_PORT',
        value: '4300',
        source: 'environment',
        origin: 'environment SIGNALBOX_PORT',
        running: new URL(server.url).port,
      });
      const all = await run(`config --home ${home}`);
      assert.ok(!(all.out + all.err).includes(PASSWORD) && !all.out.includes(KEY), all.out);
    });

    test('its secrets are not copied, except a password in the address of the database', async () => {
      const [name = ''] = filesOf(home).filter((one) => one.endsWith('.json'));
      const file = join(home, 'running', name);
      const text = readFileSync(file, 'utf8');
      assert.ok(!text.includes(KEY) && !text.includes(`admin:${PASSWORD}`));
      assert.equal(JSON.parse(text).values.SIGNALBOX_DATABASE_URL, databaseUrl);
      if (process.platform !== 'win32') {
        assert.deepEqual([statSync(file).mode & 0o777, statSync(join(home, 'running')).mode & 0o777], [0o600, 0o700]);
      }
      const rotation = await run(`secrets rotate --home ${home}`);
      assert.equal(rotation.code, 2);
      assert.match(rotation.err, /^The running server has its encryption key from its environment.*too\.\n$/m);
      assert.ok(!existsSync(join(home, 'encryption.key')), 'no other key was made');
      const withKey = await run(`secrets rotate --home ${home}`, { SIGNALBOX_ENCRYPTION_KEY: KEY });
      assert.equal(withKey.code, 0, withKey.err);
    });

    test('a killed server is not taken for a running one, and the next start removes its file', async () => {
      await server.end('SIGKILL');
      const left = filesOf(home);
      assert.ok(left.length > 0);
      const { out } = await run(`config port --json --home ${home}`);
      assert.deepEqual([JSON.parse(out).source, JSON.parse(out).running], ['default', undefined]);
      const lost = await run(`users list --home ${home}`);
      assert.match(lost.err, /signalbox\.db has never been used by Signalbox/);
      server = await start(home, {
        SIGNALBOX_DATABASE_URL: databaseUrl,
        SIGNALBOX_ENCRYPTION_KEY: KEY,
      });
      assert.deepEqual(
        filesOf(home).filter((name) => left.includes(name)),
        [],
      );
      assert.match((await run(`users list --home ${home}`)).out, /ada@example\.com/);
    });

    test('servers on one home folder with different databases need one to be named', async () => {
      const second = await start(home, {
        SIGNALBOX_DATABASE_URL: `sqlite:${join(home, 'second.db')}`,
        SIGNALBOX_ENCRYPTION_KEY: KEY,
      });
      const { code, err } = await run(`users list --home ${home}`);
      assert.deepEqual(
        [code, err],
        [
          2,
          `The 2 servers that run on ${home} use different databases. Name one with SIGNALBOX_DATABASE_URL (--database-url).\n`,
        ],
      );
      const named = await run(`users list --home ${home}`, { SIGNALBOX_DATABASE_URL: databaseUrl });
      assert.match(named.out, /ada@example\.com/);
      await second.end('SIGTERM');
      assert.match((await run(`users list --home ${home}`)).out, /ada@example\.com/);
    });

    test('a server that stops in order leaves nothing there', async () => {
      await server.end('SIGTERM');
      assert.deepEqual(filesOf(home), []);
    });
  });
}

test('a secret that the server read from a file is read from the same file, and a damaged file is passed over', async () => {
  const home = await mkdtemp(join(tmpdir(), 'signalbox-beside-'));
  const config = join(home, 'own.toml');
  writeFileSync(join(home, 'key'), KEY);
  writeFileSync(config, `encryption_key_file = "key"\napi_auth_string = "admin:${PASSWORD}"\n`, { mode: 0o600 });
  const server = await start(home, { SIGNALBOX_CONFIG: config });
  const [name = ''] = filesOf(home).filter((one) => one.endsWith('.json'));
  const file = join(home, 'running', name);
  const text = readFileSync(file, 'utf8');
  assert.ok(!text.includes(KEY) && !text.includes(PASSWORD));
  const { code, err } = await run(`secrets rotate --home ${home}`);
  assert.deepEqual([code, existsSync(join(home, 'encryption.key'))], [0, false], err);
  for (const content of [
    '',
    '{',
    '[]',
    '{"pid":1,"values":null}',
    JSON.stringify({ ...JSON.parse(text), values: { A: 1 } }),
  ]) {
    writeFileSync(file, content);
    assert.equal(JSON.parse((await run(`config port --json --home ${home}`)).out).running, undefined, content);
  }
  await server.end('SIGTERM');
  assert.deepEqual(filesOf(home), []);
  await rm(home, { recursive: true });
});
