import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ask, deployCommand, hostedServer, makePrograms, type Programs } from '../../../../../test/support/hosted.ts';
import { person } from '../../../../../test/support/platform.ts';
import { databasesOfRun, startServer, type TestServer } from '../../../../../test/support/server.ts';
import { until } from '../../../../../test/support/until.ts';
import { factsOf } from '../machine/process-tree.ts';
import { findBubblewrap } from './bubblewrap.ts';

/** Runs the code that it receives and answers the result. */
const PROGRAM = `
import { createServer } from 'node:http';
import * as fs from 'node:fs';
const run = (code) => new Function('fs', 'process', code)(fs, process);
createServer((request, response) => {
  let body = '';
  request.on('data', (part) => { body += part; });
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json' });
    let answer;
    try { answer = { result: run(JSON.parse(body || '{}').params?.code ?? '') ?? null }; }
    catch (error) { answer = { error: error.code ?? error.message }; }
    response.end(JSON.stringify(answer));
  });
}).listen(Number(process.env.PORT), '127.0.0.1');
`;

/** The start time of a process, from its line in /proc. It identifies the process. */
const started = (line: string) => line.slice(line.lastIndexOf(')') + 2).split(' ')[19];

const bubblewrap = findBubblewrap();

for (const database of databasesOfRun) {
  describe(`a hosted program in a sandbox, on ${database}`, {
    skip: typeof bubblewrap === 'string' && bubblewrap,
  }, () => {
    let server: TestServer;
    let programs: Programs;
    let id: string;
    let other: string;
    before(async () => {
      process.env['SIGNALBOX_TEST_SECRET'] = 'of the server';
      server = await startServer({ database, config: { hosting: 'sandbox' } });
      await person(server, 'ada@example.com', 'admin');
      programs = await makePrograms();
      const command = await programs.node('program', PROGRAM);
      id = await hostedServer(server, 'one');
      await deployCommand(server, id, command);
      other = await hostedServer(server, 'two');
      await deployCommand(server, other, command);
    });
    after(async () => {
      await server.stop();
      await programs.remove();
    });

    async function run(code: string, serverId = id) {
      const upstream = await server.server.hosting.upstreamOf(serverId);
      return (await ask(upstream, { jsonrpc: '2.0', id: 1, method: 'run', params: { code } })).body;
    }
    const outcome = async (code: string) => {
      const { error, result } = await run(code);
      return error ?? `succeeded: ${JSON.stringify(result)}`;
    };
    const home = () => server.server.config.home;

    test("it cannot read the server's home, key or database", async () => {
      const files = await readdir(home());
      assert.ok(files.length > 0, 'the files exist');
      for (const name of files.filter((file) => file !== 'hosting')) {
        const code = `return fs.statSync(${JSON.stringify(join(home(), name))}).size`;
        assert.equal(await outcome(code), 'ENOENT', name);
      }
      // Only the path to its own folder exists.
      assert.deepEqual((await run(`return fs.readdirSync(${JSON.stringify(home())})`)).result, ['hosting']);
      for (const path of ['/root/.ssh', '/etc/shadow', '/var/lib', '/run', '/sys', '/home']) {
        assert.equal(await outcome(`return fs.readdirSync(${JSON.stringify(path)})`), 'ENOENT', path);
      }
      assert.equal(await outcome(`return fs.readFileSync(${JSON.stringify(import.meta.filename)}, 'utf8')`), 'ENOENT');
    });

    test('it sees no environment variable of the server', async () => {
      const { result } = await run('return process.env');
      assert.equal(result['SIGNALBOX_TEST_SECRET'], undefined);
      const code = `return fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name))
        .map((name) => fs.readFileSync('/proc/' + name + '/environ', 'latin1')).join()`;
      const environments = (await run(code)).result;
      assert.match(environments, /SIGNALBOX_SERVER_ID/);
      assert.doesNotMatch(environments, /SIGNALBOX_TEST_SECRET/);
    });

    test('it sees and signals only its own processes', async () => {
      const listing = `return fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name))
        .map((name) => fs.readFileSync('/proc/' + name + '/cmdline', 'latin1'))`;
      const seen = (await run(listing)).result as string[];
      assert.ok(seen.length <= 3, `only its own: ${seen.join()}`);
      assert.equal(await outcome(`process.kill(${process.pid}, 'SIGKILL')`), 'ESRCH');
      const pid = (await run('return process.pid + " " + fs.readFileSync("/proc/self/stat", "latin1")', other)).result;
      const killer = await hostedServer(server, 'killer');
      await deployCommand(server, killer, await programs.node('killer', PROGRAM));
      // Kills everything it can reach, including itself.
      await run(`setTimeout(() => { try { process.kill(-1, 'SIGKILL'); } finally { process.exit(0); } }, 20)`, killer);
      await until('it has ended', () => server.server.hosting.report(killer).state !== 'running');
      const still = 'return process.pid + " " + fs.readFileSync("/proc/self/stat", "latin1")';
      assert.equal(started((await run(still, other)).result), started(pid), 'the other program lives on');
    });

    test('it sees no folder of another program or of another server', async () => {
      const place = (await run('return process.cwd()', other)).result as string;
      assert.ok(existsSync(place), 'the folder exists');
      assert.equal(await outcome(`return fs.readdirSync(${JSON.stringify(place)})`), 'ENOENT');
      const running = dirname(dirname(place));
      assert.equal(((await run(`return fs.readdirSync(${JSON.stringify(running)})`)).result as string[]).length, 1);
    });

    test('it writes only to its own folder and its own /tmp', async () => {
      const refused = [home(), '/usr', '/etc', '/', '/dev', '/opt', '/var', programs.folder, join(home(), 'hosting')];
      for (const folder of refused) {
        const code = `fs.writeFileSync(${JSON.stringify(join(folder, 'written-by-a-program'))}, 'x')`;
        // A path like the server's folder below /tmp lies in the program's own /tmp.
        if (!folder.startsWith(tmpdir())) assert.match(await outcome(code), /^(EROFS|ENOENT|EACCES)$/, folder);
        else await run(code);
        assert.ok(!existsSync(join(folder, 'written-by-a-program')), folder);
      }
      const own = `for (const folder of ['.', '/tmp', process.env.TMPDIR, process.env.HOME, '/dev/shm'])
        fs.writeFileSync(folder + '/written-by-a-program', 'x')`;
      assert.equal(await outcome(own), 'succeeded: null');
      assert.ok(!existsSync('/tmp/written-by-a-program'), "its /tmp differs from the machine's");
      assert.match(await outcome(`fs.writeFileSync(process.argv[1], '')`), /^(EROFS|EACCES)$/);
    });

    test('it has no capability, gains no privilege, and creates no device', async () => {
      const status = (await run(`return fs.readFileSync('/proc/self/status', 'utf8')`)).result as string;
      for (const set of ['CapPrm', 'CapEff', 'CapBnd', 'CapAmb']) assert.match(status, new RegExp(`${set}:\\s0+\\n`));
      assert.match(status, /NoNewPrivs:\s1/);
    });

    test('the process that holds the sandbox gets no variable of the program', async () => {
      const leader = await hostedServer(server, 'preload');
      await deployCommand(server, leader, await programs.node('plain', PROGRAM));
      await run('', leader);
      const [mark] = ((await run('return process.env.SIGNALBOX_PROCESS', leader)).result as string).split(',');
      const holders = (await readdir('/proc')).filter((pid) => {
        if (!/^\d+$/.test(pid) || factsOf(Number(pid))?.parent !== process.pid) return false;
        return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(mark ?? 'none');
      });
      assert.equal(holders.length, 1);
      const names = readFileSync(`/proc/${holders[0]}/environ`, 'latin1')
        .split('\0')
        .map((line) => line.split('=')[0]);
      const own = ['NODE_CHANNEL_FD', 'NODE_CHANNEL_SERIALIZATION_MODE', 'PATH', 'SIGNALBOX_PROCESS'];
      assert.deepEqual(names.filter(Boolean).sort(), own);
      assert.doesNotMatch(readFileSync(`/proc/${holders[0]}/cmdline`, 'latin1'), /setenv|SIGNALBOX/);
    });

    test('a command cannot bring in files of the server, by name or through a link', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'signalbox-links-'));
      const { symlink } = await import('node:fs/promises');
      await symlink(home(), join(folder, 'link'));
      await symlink(dirname(home()), join(folder, 'above'));
      await writeFile(join(folder, 'plain'), 'seen');
      const names = [home(), join(folder, 'link'), join(folder, 'above'), '/', '/proc', join(folder, 'plain')];
      const greedy = await hostedServer(server, 'greedy');
      await deployCommand(server, greedy, [...(await programs.node('greedy', PROGRAM)), ...names]);
      const database = join(home(), (await readdir(home())).find((name) => name !== 'hosting') ?? '');
      for (const path of [database, join(folder, 'link'), join(folder, 'above')]) {
        const { error } = await run(`return fs.statSync(${JSON.stringify(path)}).size`, greedy);
        assert.equal(error, 'ENOENT', path);
      }
      const { result } = await run(`return fs.readFileSync(${JSON.stringify(join(folder, 'plain'))}, 'utf8')`, greedy);
      assert.equal(result, 'seen', 'a path that the operator names is readable');
      await rm(folder, { recursive: true });
    });
  });
}
