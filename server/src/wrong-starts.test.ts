/** Starts the program with usual mistakes. Each prints one sentence that names what is wrong and what to do, and no stack. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { runProgram } from '../test/support/program.ts';
import { openStore } from './database/opening/connect.ts';

/** Stands in passwords and keys, and must not be printed. */
const SECRET = 'hunter2';

interface Start {
  readonly args?: readonly string[];
  readonly settings?: Readonly<Record<string, string>>;
}

interface Place {
  /** Holds `a-file` (text, no database), `empty`, `sound.db`, and a home folder `of-another-key`. */
  readonly folder: string;
  readonly takenPort: number;
}

/** The mistake, what is started in `place`, and what the sentence says. */
type WrongStart = readonly [mistake: string, start: (place: Place) => Start, says: readonly (string | RegExp)[]];

const setting = (name: string, value: string) => () => ({ settings: { [name]: value } });
const flags =
  (...args: readonly string[]) =>
  () => ({ args });
const databaseAt = (address: (place: Place) => string) => (place: Place) => ({
  args: ['--database-url', address(place)],
});

const wrongStarts: readonly WrongStart[] = [
  [
    'a port in use',
    ({ takenPort }) => ({ args: ['--port', `${takenPort}`] }),
    [/Port \d+ of 127.0.0.1 is in use/, 'SIGNALBOX_PORT'],
  ],
  ['several processes on SQLite', flags('--processes', '4'), ['--processes', 'one process', 'SIGNALBOX_DATABASE_URL']],
  ['a number of processes that is none', flags('--processes', 'many'), ['--processes', 'auto or a whole number']],
  ['a port beyond the range', flags('--port', '99999'), ['--port', '0 to 65535']],
  ['a port that is a name', flags('--port', 'http'), ['--port', '"http"']],
  [
    'metrics on a port in use',
    ({ takenPort }) => ({ args: ['--metrics-port', `${takenPort}`] }),
    ['EADDRINUSE', 'SIGNALBOX_METRICS_PORT'],
  ],
  [
    'an address of another machine',
    () => ({ args: ['--host', '192.0.2.77'], settings: { SIGNALBOX_ALLOW_OPEN_ACCESS: 'true' } }),
    ['SIGNALBOX_HOST', 'not an address of this machine'],
  ],
  [
    'an unknown host name',
    () => ({ args: ['--host', 'nowhere.invalid'], settings: { SIGNALBOX_ALLOW_OPEN_ACCESS: 'true' } }),
    ['SIGNALBOX_HOST', 'not a known host name'],
  ],
  ['a URL in place of a host', setting('SIGNALBOX_HOST', 'http://0.0.0.0:80'), ['SIGNALBOX_HOST must be an address']],
  [
    'open access for a network',
    flags('--host', '0.0.0.0'),
    ['SIGNALBOX_API_AUTH_STRING', 'SIGNALBOX_ALLOW_OPEN_ACCESS=true'],
  ],
  ['"yes" in place of true', setting('SIGNALBOX_ALLOW_OPEN_ACCESS', 'yes'), ['true, false', '"yes"']],
  [
    'a public URL with a path',
    setting('SIGNALBOX_PUBLIC_URL', 'https://x.example/signalbox'),
    ['Set SIGNALBOX_PUBLIC_URL=https://x.example and SIGNALBOX_BASE_PATH=/signalbox'],
  ],
  [
    'a public URL without a scheme',
    setting('SIGNALBOX_PUBLIC_URL', 'signalbox.example.com'),
    ['SIGNALBOX_PUBLIC_URL', 'https://'],
  ],
  ['a base path without a slash', setting('SIGNALBOX_BASE_PATH', 'signalbox'), ['SIGNALBOX_BASE_PATH', '/signalbox']],
  [
    'an address of servers without a scheme',
    setting('SIGNALBOX_SERVERS_URL', 'mcp.example.com'),
    ['SIGNALBOX_SERVERS_URL', 'https://'],
  ],
  [
    'proxies that are no networks',
    setting('SIGNALBOX_TRUSTED_PROXIES', 'any'),
    ['SIGNALBOX_TRUSTED_PROXIES', '10.0.0.0/8', '"any"'],
  ],
  [
    'a network with too many bits',
    setting('SIGNALBOX_ALLOWED_PRIVATE_NETWORKS', '10.0.0.0/99'),
    ['SIGNALBOX_ALLOWED_PRIVATE_NETWORKS', '10.0.0.0/8'],
  ],
  ['a misspelled setting', setting('SIGNALBOX_PROT', '4200'), ['SIGNALBOX_PROT is not a setting', 'SIGNALBOX_PORT']],
  ['a misspelled flag', flags('--prot', '4200'), ["'--prot'", '--port']],
  ['a flag without its value', () => ({ args: ['--host'] }), ['--host', 'missing', '--help']],
  ['a word behind the command', flags('now'), ['accepts only flags, not "now"', '--help']],
  ['an unknown service', setting('SIGNALBOX_SERVICES', 'sheduler'), ['"sheduler"', 'Did you mean scheduler?']],
  ['an unknown kind of retention', setting('SIGNALBOX_RETENTION', 'runs'), ['"runs"', 'flow_runs']],
  ['a duration with a unit', setting('SIGNALBOX_EVENT_RETENTION_SECONDS', '7d'), ['whole number', '"7d"']],
  ['an unknown log level', setting('SIGNALBOX_LOG_LEVEL', 'loud'), ['trace, debug, info', '"loud"']],
  ['an unknown log format', setting('SIGNALBOX_LOG_FORMAT', 'xml'), ['auto, json, text', '"xml"']],
  ['an unknown kind of hosting', setting('SIGNALBOX_HOSTING', 'docker'), ['auto, sandbox, process, off', '"docker"']],
  [
    'a settings file that does not exist',
    ({ folder }) => ({ args: ['--config', join(folder, 'none.toml')] }),
    ['none.toml does not exist', '--config'],
  ],
  [
    'a settings file that is not TOML',
    ({ folder }) => ({ args: ['--config', join(folder, 'a-file')] }),
    ['a-file', 'line 1'],
  ],
  [
    'an auth string without a colon',
    setting('SIGNALBOX_API_AUTH_STRING', SECRET),
    ['SIGNALBOX_API_AUTH_STRING must be user:password'],
  ],
  [
    'keys with an auth string',
    () => ({ settings: { SIGNALBOX_API_AUTH: 'key', SIGNALBOX_API_AUTH_STRING: `a:${SECRET}` } }),
    ['SIGNALBOX_API_AUTH=key', 'Unset SIGNALBOX_API_AUTH_STRING'],
  ],
  [
    'open access with an auth string',
    () => ({ settings: { SIGNALBOX_API_AUTH: 'open', PREFECT_SERVER_API_AUTH_STRING: `a:${SECRET}` } }),
    ['SIGNALBOX_API_AUTH=open', 'PREFECT_SERVER_API_AUTH_STRING'],
  ],
  [
    'a secret whose file is missing',
    ({ folder }) => ({ settings: { SIGNALBOX_API_AUTH_STRING_FILE: join(folder, 'none') } }),
    ['SIGNALBOX_API_AUTH_STRING_FILE names', 'does not exist', 'Create the file'],
  ],
  [
    'a secret whose file is empty',
    ({ folder }) => ({ settings: { SIGNALBOX_API_AUTH_STRING_FILE: join(folder, 'empty') } }),
    ['SIGNALBOX_API_AUTH_STRING_FILE', 'empty'],
  ],
  [
    'a secret that is given twice',
    ({ folder }) => ({
      settings: { SIGNALBOX_ENCRYPTION_KEY: SECRET, SIGNALBOX_ENCRYPTION_KEY_FILE: join(folder, 'a-file') },
    }),
    ['SIGNALBOX_ENCRYPTION_KEY', 'not both'],
  ],
  [
    'a file for what is no secret',
    ({ folder }) => ({ settings: { SIGNALBOX_HOST_FILE: join(folder, 'a-file') } }),
    ['SIGNALBOX_HOST_FILE is not a setting'],
  ],
  ['an encryption key that is a word', setting('SIGNALBOX_ENCRYPTION_KEY', SECRET), ['32 bytes in base64']],
  [
    'the encryption key of another database',
    ({ folder }) => ({ args: ['--home', join(folder, 'of-another-key')] }),
    ['encrypted with another key', 'SIGNALBOX_ENCRYPTION_KEY'],
  ],
  [
    'an encryption key file with other content',
    ({ folder }) => ({ args: ['--home', join(folder, 'of-a-broken-key')] }),
    ['encryption.key must contain 32 bytes in base64', 'backup'],
  ],
  [
    'a mail server that is a web address',
    setting('SIGNALBOX_SMTP_URL', `http://u:${SECRET}@mail.example.com`),
    ['SIGNALBOX_SMTP_URL', 'smtps://user:password@mail.example.com'],
  ],
  [
    'a mail server without a sender',
    setting('SIGNALBOX_SMTP_URL', `smtps://u:${SECRET}@mail.example.com`),
    ['SIGNALBOX_SMTP_URL needs SIGNALBOX_SMTP_FROM'],
  ],
  [
    'an identity provider without a client',
    setting('SIGNALBOX_OIDC_ISSUER', 'https://id.example.com'),
    ['SIGNALBOX_OIDC_ISSUER needs SIGNALBOX_OIDC_CLIENT_ID'],
  ],
  [
    'an identity provider without TLS',
    setting('SIGNALBOX_OIDC_ISSUER', 'http://id.example.com'),
    ['must start with https://'],
  ],
  [
    'a home folder that is a file',
    ({ folder }) => ({ args: ['--home', join(folder, 'a-file')] }),
    ['a-file is a file', 'SIGNALBOX_HOME'],
  ],
  [
    'a home folder below a file',
    ({ folder }) => ({ args: ['--home', join(folder, 'a-file', 'home')] }),
    ['lies below one', 'SIGNALBOX_HOME'],
  ],
  ['a home folder without a name', setting('SIGNALBOX_HOME', ''), ['SIGNALBOX_HOME must name a folder']],
  [
    'a database that is a text file',
    databaseAt(({ folder }) => `sqlite:${join(folder, 'a-file')}`),
    ['is not an SQLite database', 'SIGNALBOX_DATABASE_URL'],
  ],
  [
    'a database that is a folder',
    databaseAt(({ folder }) => `sqlite:${folder}`),
    ['is a folder', 'SIGNALBOX_DATABASE_URL'],
  ],
  [
    'a database in a misspelled folder',
    databaseAt(({ folder }) => `sqlite:${join(folder, 'dta', 'signalbox.db')}`),
    [/The folder \S+dta of the database/, 'SIGNALBOX_DATABASE_URL'],
  ],
  [
    'a misspelled database',
    databaseAt(({ folder }) => `sqlite:${join(folder, 'suond.db')}`),
    ['no database', 'sound.db. Correct SIGNALBOX_DATABASE_URL'],
  ],
  [
    'a relative database',
    databaseAt(() => 'sqlite:of-a-wrong-start.db'),
    [/SIGNALBOX_DATABASE_URL=sqlite:\/.*of-a-wrong-start\.db/],
  ],
  ['a database below the home of a shell', databaseAt(() => 'sqlite:~/signalbox.db'), ['in place of ~']],
  ['a database in memory', databaseAt(() => 'sqlite::memory:'), ['in memory']],
  [
    "a Prefect server's database",
    setting('PREFECT_API_DATABASE_CONNECTION_URL', 'sqlite+aiosqlite:////root/prefect.db'),
    ["Prefect server's own database", 'SIGNALBOX_DATABASE_URL'],
  ],
  [
    'another kind of database',
    databaseAt(() => `mysql://u:${SECRET}@db/x`),
    ['must start with sqlite: or postgres://'],
  ],
  [
    'PostgreSQL that is down',
    databaseAt(() => `postgres://u:${SECRET}@127.0.0.1:1/x`),
    ['127.0.0.1:1 does not answer', 'SIGNALBOX_DATABASE_URL'],
  ],
  [
    'PostgreSQL on an unknown host',
    databaseAt(() => `postgres://u:${SECRET}@nowhere.invalid/x`),
    ['nowhere.invalid:5432 cannot be found'],
  ],
  ['PostgreSQL without a database', databaseAt(() => 'postgres://127.0.0.1'), ['must name a database']],
];

describe('a wrong start is answered with the fault and the cure', { concurrency: 3 }, () => {
  let place: Place;
  let homes = 0;
  const taken = createServer();
  before(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'signalbox-wrong-starts-'));
    await writeFile(join(folder, 'a-file'), 'this is not a database\n'.repeat(500));
    await writeFile(join(folder, 'empty'), '\n');
    await (await openStore(`sqlite:${join(folder, 'sound.db')}`)).close();
    for (const name of ['of-another-key', 'of-a-broken-key']) {
      const home = join(folder, name);
      await mkdir(home);
      await start(['--home', home], {}, /is ready/);
      const key = name === 'of-another-key' ? Buffer.alloc(32, 7).toString('base64') : 'restored by hand';
      await writeFile(join(home, 'encryption.key'), key);
    }
    taken.listen(0, '127.0.0.1');
    await once(taken, 'listening');
    place = { folder, takenPort: (taken.address() as { port: number }).port };
  });
  after(async () => {
    taken.close();
    await rm(place.folder, { recursive: true });
  });

  for (const [mistake, makeStart, says] of wrongStarts) {
    test(mistake, async () => {
      const { args = [], settings = {} } = makeStart(place);
      const home = join(place.folder, `home-${++homes}`);
      // Log lines before the start fails are not about the mistake.
      const { code, out, err } = await start(args, { SIGNALBOX_HOME: home, SIGNALBOX_LOG_LEVEL: 'warn', ...settings });
      assert.deepEqual([code, out], [2, ''], err);
      assert.match(err, /^[^\n]+[.?]\n$/, 'one sentence, and no stack');
      for (const part of says)
        assert.ok(typeof part === 'string' ? err.includes(part) : part.test(err), `${part}: ${err}`);
      assert.ok(!err.includes(SECRET), err);
      for (const name of ['suond.db', 'of-a-wrong-start.db', 'dta']) {
        assert.ok(
          !existsSync(join(place.folder, name)) && !existsSync(name) && !existsSync(`${name}.lock`),
          `${name} was created`,
        );
      }
    });
  }
});

const start = (args: readonly string[], settings: Readonly<Record<string, string>>, enough?: RegExp) =>
  runProgram(['server', 'start', '--port', '0', ...args], settings, enough);
