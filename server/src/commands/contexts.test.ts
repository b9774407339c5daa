import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, mock, test } from 'node:test';
import { person } from '../../test/support/platform.ts';
import { startServer, type TestServer } from '../../test/support/server.ts';
import { commands } from '../command-line.ts';
import { ConfigError } from '../errors.ts';

const program = join(import.meta.dirname, '..', 'main.js');

describe('commands on a running server', () => {
  let server: TestServer;
  let url: string;
  let folder: string;
  let key: string;

  before(async () => {
    server = await startServer();
    url = (await server.listen()).replace('ws:', 'http:').replace(/\/api$/, '');
    folder = await mkdtemp(join(tmpdir(), 'signalbox-contexts-'));
    key = (await person(server, 'admin@example.com', 'admin')).key;
    process.env['XDG_CONFIG_HOME'] = folder;
  });
  after(async () => {
    delete process.env['XDG_CONFIG_HOME'];
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Runs in this process; with an input, as a process of its own that reads it. */
  const run = async (words: string, input?: string) => {
    if (input !== undefined) return runWith(words, input);
    const printed = { log: [] as string[], error: [] as string[] };
    for (const name of ['log', 'error'] as const)
      mock.method(console, name, (line: string) => printed[name].push(line));
    try {
      const code = await commands(words.split(' '));
      return { out: printed.log.join('\n'), complaint: printed.error.join('\n'), code };
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      return { out: printed.log.join('\n'), complaint: error.message, code: 2 };
    } finally {
      mock.restoreAll();
    }
  };
  const runWith = async (words: string, input: string) => {
    const child = spawn(process.execPath, [program, ...words.split(' ')], {
      env: { PATH: process.env['PATH'], XDG_CONFIG_HOME: folder },
    });
    const ended = once(child, 'exit');
    child.stdin.end(input);
    const [out, complaint] = await Promise.all([child.stdout.toArray(), child.stderr.toArray()]);
    return { out: out.join(''), complaint: complaint.join(''), code: (await ended)[0] as number | null };
  };
  const answerOf = async (words: string, input?: string) => {
    const { out, complaint, code } = await run(`${words} --json`, input);
    assert.equal(code, 0, complaint);
    return JSON.parse(out);
  };

  test('a login keeps the key where only its owner reads it, and no command prints it', async () => {
    assert.match((await run('whoami')).complaint, /not logged in/);
    assert.match((await run('login --url localhost')).complaint, /is not the address of a server/);
    const refused = await run(`login --url ${url} --name test`, 'sbx_wrong\n');
    assert.equal(refused.code, 2);
    assert.match(refused.complaint, /does not accept this key/);
    const { name, caller } = await answerOf(`login --url ${url}/api --name test`, `${key}\n`);
    assert.deepEqual([name, caller], ['test', 'admin@example.com']);
    const file = join(folder, 'signalbox', 'contexts.json');
    assert.equal((await stat(file)).mode & 0o077, 0);
    assert.ok((await readFile(file, 'utf8')).includes(key));
    for (const words of ['whoami', 'context list', 'context use --name test', 'api --path /me']) {
      const { out, complaint, code } = await run(words);
      assert.equal(code, 0, complaint);
      assert.ok(!`${out}${complaint}`.includes(key), words);
    }
    assert.match((await run('context use --name other')).complaint, /no context "other"/);
  });

  test('with --context, accounts and keys are made through the API', async () => {
    const on = '--context test';
    await answerOf(`workspaces create --handle etl ${on}`);
    const workspaces = await answerOf(`workspaces list ${on}`);
    assert.deepEqual(workspaces.map(({ handle }: { handle: string }) => handle).sort(), ['default', 'etl']);
    const bot = await answerOf(`service-accounts create --name bot ${on}`);
    assert.match(bot.secret, /^sbx_/, 'its first key');
    assert.equal((await run(`workspaces grant --workspace etl --service-account bot --role editor ${on}`)).code, 0);
    assert.equal((await run(`workspaces grant --user admin@example.com --role admin ${on}`)).code, 0);
    const { id, secret } = await answerOf(`keys create --service-account bot --descriptor ci ${on}`);
    assert.match(secret, /^sbx_/);
    const keys = await answerOf(`keys list --service-account bot ${on}`);
    assert.ok(keys.some((one: { id: string }) => one.id === id));
    assert.equal((await run(`service-accounts suspend --name bot ${on}`)).code, 0);
    assert.equal((await answerOf(`service-accounts list ${on}`))[0].state, 'suspended');
    const none = await run(`service-accounts remove --name nobody ${on}`);
    assert.deepEqual(
      [none.code, none.complaint.trim()],
      [2, '"default" has no service account "nobody". "signalbox service-accounts create --name nobody" makes it.'],
    );
    assert.match(
      (await run(`users list ${on}`)).complaint,
      /^"signalbox users list" works only on the machine of the server/,
    );
    assert.match((await run(`keys create --user a@example.com --descriptor x ${on}`)).complaint, /in the dashboard/);
    const missing = await run('api --path /nothing');
    assert.equal(missing.code, 2);
    assert.match(missing.complaint, /answered 404: /);
  });

  test('an export reads the server of the context', async () => {
    const { files } = await answerOf(`export --context test --folder ${join(folder, 'leaving')}`);
    assert.equal(files.work_pools.lines, 0);
    assert.ok(files.block_types.lines > 0);
  });

  test('a server that is away, an odd address and a broken file are told in a sentence', async () => {
    assert.match((await run('login --url http://127.0.0.1:1', key)).complaint, /cannot be reached/);
    await writeFile(join(folder, 'signalbox', 'contexts.json'), '{');
    const { code, complaint } = await run('context list');
    assert.equal(code, 2);
    assert.match(complaint, /cannot be read\. Move it away/);
    assert.equal(complaint.split('\n').length, 1);
  });
});
