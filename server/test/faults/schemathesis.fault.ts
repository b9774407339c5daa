/**
 * Requests that schemathesis generates from our two OpenAPI documents, sent by each kind of actor: no answer is a
 * server error, reveals internals, or breaks the schema in the document.
 */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { program } from '../support/bundle.ts';
import { count, FaultServer, full, report } from './harness.ts';

const run = promisify(execFile);
const repository = join(import.meta.dirname, '..', '..', '..');
const environment = join(repository, '.work', 'schemathesis-venv');
const schemathesis = join(environment, 'bin', 'st');
/** Its checks and its command line change between versions. */
const REQUIREMENT = 'schemathesis==4.32.5';
/** Requests for each operation, actor and document; SIGNALBOX_TEST_EXAMPLES sets another number. */
const EXAMPLES = Number(process.env['SIGNALBOX_TEST_EXAMPLES'] ?? count(1, 1000));

/** Undefined, or why it cannot run here. */
async function prepare(): Promise<string | undefined> {
  if (existsSync(schemathesis)) return undefined;
  try {
    await run('python3', ['-m', 'venv', environment]);
    await run(join(environment, 'bin', 'pip'), ['install', '--quiet', '--disable-pip-version-check', REQUIREMENT]);
    return undefined;
  } catch (error) {
    await rm(environment, { recursive: true, force: true });
    return `schemathesis cannot be installed: ${(error as Error).message.split('\n')[0]}`;
  }
}

const missing = await prepare();

describe('generated requests', { skip: missing }, () => {
  let server: FaultServer;
  const keys = new Map<string, string | undefined>([['nobody', undefined]]);
  before(async () => {
    server = await FaultServer.start({ environment: { SIGNALBOX_API_AUTH: 'key' } });
    const operate = async (...words: string[]) =>
      JSON.parse(
        (
          await run(process.execPath, [program, ...words, '--json'], {
            env: { PATH: process.env['PATH'], SIGNALBOX_HOME: server.home },
          })
        ).stdout,
      );
    for (const [name, role] of [
      ['admin', 'admin'],
      ['member', 'member'],
    ] as const) {
      const email = `${name}@example.com`;
      await operate('users', 'create', '--email', email, '--organization', 'default', '--role', role);
      keys.set(name, (await operate('keys', 'create', '--user', email, '--descriptor', 'schemathesis')).secret);
    }
    const account = await fetch(`${server.api}/v0/organizations/default/service-accounts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${keys.get('admin')}` },
      body: JSON.stringify({ name: 'robot', role: 'member' }),
    });
    keys.set('service account', ((await account.json()) as { secret: string }).secret);
  });
  after(() => server.dispose());

  for (const [path, base] of [
    ['/api/openapi.json', '/api'],
    ['/api/v0/openapi.json', ''],
  ] as const) {
    for (const actor of ['admin', 'member', 'service account', 'nobody']) {
      test(`of ${path} as ${actor}`, async () => {
        const key = keys.get(actor);
        const folder = await mkdtemp(join(tmpdir(), 'signalbox-schemathesis-'));
        // The administrator reads it, because some actors may not.
        const document = await fetch(server.origin + path, {
          headers: { authorization: `Bearer ${keys.get('admin')}` },
        });
        await writeFile(join(folder, 'openapi.json'), await document.text());
        const arguments_ = [
          'run',
          'openapi.json',
          ...['--url', `${server.origin}${base}`],
          ...['--phases', full ? 'coverage,fuzzing,stateful' : 'fuzzing', '--max-examples', String(EXAMPLES)],
          ...['--checks', 'answers_as_promised', '--workers', '2'],
          ...['--continue-on-failure', '--no-color', '--warnings', 'off'],
          ...['--request-timeout', '30', '--suppress-health-check', 'all', '--seed', '1'],
          // A caller that deletes its own key or organization cannot send the next request.
          ...['--exclude-method', 'DELETE'],
          ...(key ? ['--header', `Authorization: Bearer ${key}`] : []),
        ];
        const st = spawn(schemathesis, arguments_, {
          cwd: folder,
          env: {
            PATH: process.env['PATH'],
            PYTHONPATH: join(import.meta.dirname, 'python'),
            PYTHONDONTWRITEBYTECODE: '1',
            SCHEMATHESIS_HOOKS: 'contract',
          },
          stdio: ['ignore', 'pipe', 'pipe'],
        });
        let printed = '';
        st.stdout.on('data', (chunk: Buffer) => (printed += chunk));
        st.stderr.on('data', (chunk: Buffer) => (printed += chunk));
        const code = await new Promise((resolve) => st.once('close', resolve));
        await rm(folder, { recursive: true, force: true });
        const generated = /(\d+) generated/.exec(printed)?.[1];
        assert.ok(server.running, `The server ended:\n${server.output.slice(-2000)}`);
        assert.ok(generated, printed.slice(-4000));
        assert.equal(code, 0, printed.slice(-12_000));
        report({ test: '42', name: `requests generated from ${path} as ${actor}`, value: generated });
      });
    }
  }
});
