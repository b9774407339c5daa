import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { isFullRun } from '../../../../../test/support/full-run.ts';
import { until } from '../../../../../test/support/until.ts';
import { factsOf, processesMarked } from '../machine/process-tree.ts';
import { handOver } from '../machine/program-user.ts';
import { findBubblewrap } from './bubblewrap.ts';
import { ProcessRunner } from './process-runner.ts';
import type { ProcessSpec } from './runner.ts';
import { Sandbox } from './sandbox.ts';

const onLinux = { skip: existsSync('/proc/self/environ') ? false : 'needs /proc' };

const bubblewrap = findBubblewrap();
const kinds = { 'of this machine': onLinux, 'in a sandbox': { skip: typeof bubblewrap === 'string' && bubblewrap } };

for (const [kind, options] of Object.entries(kinds))
  describe(`processes ${kind}`, options, () => {
    const isSandboxed = kind === 'in a sandbox';
    let folder: string;
    let runner: ProcessRunner;
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'signalbox-runner-'));
      const sandbox =
        isSandboxed && typeof bubblewrap !== 'string'
          ? new Sandbox(bubblewrap, {
              rooms: { folder: join(folder, 'rooms'), hidden: [folder] },
              ownNetwork: bubblewrap.networkProblem === undefined,
              targets: { current: async () => ({ allowPrivate: false }) },
              refusesHiddenMemory: true,
            })
          : undefined;
      runner = new ProcessRunner(join(folder, 'notes'), sandbox);
      await makeOwn();
    });
    const makeOwn = async () => {
      await mkdir(join(folder, 'own'));
      await handOver(join(folder, 'own'), runner.userOf('one'));
    };
    after(async () => {
      await runner.close();
      await rm(folder, { recursive: true, force: true });
    });

    const spec = (command: readonly string[], given: Partial<ProcessSpec> = {}): ProcessSpec => ({
      serverId: 'one',
      command,
      directory: join(folder, 'own'),
      files: {
        writable: [join(folder, 'own')],
        temporary: join(folder, 'own'),
        readable: [],
        machine: [process.execPath],
      },
      environment: { PATH: process.env['PATH'] ?? '' },
      memoryMegabytes: 512,
      maxFiles: 10_000,
      diskMegabytes: 64,
      input: false,
      ...given,
    });
    const node = (code: string) => [process.execPath, '-e', code];
    const tokens = async () => (await readdir(join(folder, 'notes'))).map((name) => name.replace('.json', ''));
    const left = async () => (await tokens()).flatMap(processesMarked);

    test('arguments reach the program unchanged', async () => {
      const running = runner.start(
        spec([...node('console.log(JSON.stringify(process.argv.slice(1)))'), '$HOME', '; id', '*', '']),
      );
      let output = '';
      running.stdout.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
      assert.equal((await running.ended).code, 0);
      assert.deepEqual(JSON.parse(output), ['$HOME', '; id', '*', '']);
    });

    test('a program that forks endlessly is killed with all its processes', async () => {
      const bomb = `
      const { spawn } = require('node:child_process');
      setInterval(() => spawn('sleep', ['1000'], { detached: true, stdio: 'inherit' }), 2);
    `;
      const { reason } = await runner.start(spec(node(bomb))).ended;
      assert.match(reason, /more than 128 processes/);
      assert.deepEqual(await left(), []);
    });

    test('children that left their group, their session and their parent end too', async () => {
      const running = runner.start(
        spec(['/bin/sh', '-c', 'setsid sh -c "sleep 1000 & sleep 1001 &" & (sleep 1002 &) ; exec sleep 1003']),
      );
      await until('all have been started', async () => (await left()).length >= 4);
      await running.stop(1, 'the test is over');
      assert.deepEqual(await left(), []);
    });

    test('a program stands behind the server, also in a session of its own', async () => {
      const child = node('setInterval(() => {}, 1000)');
      const code = `require('child_process').spawn(${JSON.stringify(child[0])}, ${JSON.stringify(child.slice(1))}, { detached: true, stdio: 'ignore' }); setInterval(() => {}, 1000)`;
      const running = runner.start(spec(node(code)));
      const sessions = async () => {
        const pids = await left();
        return pids.filter((pid) => factsOf(pid)?.name.startsWith('node')).map(sessionNiceOf);
      };
      const own = sessionNiceOf(process.pid);
      const expected = own === undefined ? undefined : 10;
      await until('both are behind', async () => {
        const found = await sessions();
        return found.length >= 2 && found.every((nice) => nice === expected);
      });
      assert.equal(sessionNiceOf(process.pid), own, 'the server stays where it was');
      await running.stop(0, 'the test is over');
    });

    test('a process that ignores signals and keeps its outputs open is killed', async () => {
      const running = runner.start(
        spec(['/bin/sh', '-c', 'trap "" TERM INT HUP; echo deaf; while true; do sleep 1; done']),
      );
      await once(running.stdout, 'data');
      const { reason } = await running.stop(0.2, 'the test is over');
      assert.match(reason, /did not end within 0\.2 s/);
      assert.deepEqual(await left(), []);
    });

    test('a process that is asked to stop can clean up first', async () => {
      const running = runner.start(
        spec(['/bin/sh', '-c', 'trap "echo tidy; exit 7" TERM; echo up; while true; do sleep 0.01; done']),
      );
      let output = '';
      running.stdout.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
      await until('it is up', () => output.includes('up'));
      const { code } = await running.stop(5, 'the test is over');
      assert.deepEqual([code, output], [7, 'up\ntidy\n']);
    });

    test('the signal that ended a process is reported', async () => {
      assert.equal((await runner.start(spec(['/bin/sh', '-c', 'kill -ABRT $$'])).ended).reason, 'ended by SIGABRT');
    });

    const inSandbox = { skip: !isSandboxed };
    /** Writes up to 500 MB, 1 MB at a time. */
    const filler = (each: string) => `
      const fs = require('node:fs');
      const megabyte = Buffer.alloc(1_048_576, 1);
      let count = 0;
      const timer = setInterval(() => { ${each}; if (++count === 500) clearInterval(timer); }, 10);
      setTimeout(() => {}, 60_000);`;

    for (const [way, each] of [
      ['in many files', 'fs.writeFileSync("file-" + count, megabyte)'],
      ['in folders that it closes', 'fs.mkdirSync("d" + count); fs.writeFileSync("d" + count + "/f", megabyte)'],
      ['below /tmp', 'fs.writeFileSync("/tmp/file-" + count, megabyte)'],
      ['in memory that is a file', 'fs.writeFileSync("/dev/shm/file-" + count, megabyte)'],
      [
        'in files without a name',
        'const fd = fs.openSync("gone", "w"); fs.unlinkSync("gone"); fs.writeSync(fd, megabyte)',
      ],
    ]) {
      test(`a program that fills the disk ${way} is killed`, inSandbox, async () => {
        const { reason } = await runner.start(spec(node(filler(each ?? '')))).ended;
        assert.equal(reason, 'killed: it stored more than 64 MB in its folders');
        await rm(join(folder, 'own'), { recursive: true });
        await makeOwn();
      });
    }

    test('a program that hides its files from the count is killed', {
      skip: !isSandboxed || (process.getuid?.() === 0 && 'root sees it'),
    }, async () => {
      const code = `fs.mkdirSync('closed'); fs.chmodSync('closed', 0); setTimeout(() => {}, 60_000)`;
      const { reason } = await runner.start(spec(node(code))).ended;
      assert.equal(reason, 'killed: it keeps a folder closed, and what is in it cannot be counted');
      await rm(join(folder, 'own', 'closed'), { recursive: true });
    });

    test('no file can be larger than the limit for all files', inSandbox, async () => {
      const code = `
        const fs = require('node:fs');
        process.on('SIGXFSZ', () => {});
        const fd = fs.openSync('large', 'w');
        try { for (let n = 0; n < 80; n++) fs.writeSync(fd, Buffer.alloc(1_048_576)); } catch (error) { console.log(error.code, fs.fstatSync(fd).size); }`;
      const running = runner.start(spec(node(code)));
      let output = '';
      running.stdout.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
      await running.ended;
      assert.equal(output, `EFBIG ${64 * 1_048_576}\n`);
      await rm(join(folder, 'own', 'large'));
    });

    test('a program that allocates memory as fast as it can is soon killed', async () => {
      const hog = `globalThis.kept = []; const timer = setInterval(() => {
        kept.push(Buffer.alloc(4_194_304, 1)); if (kept.length === 500) clearInterval(timer); }, 1); setTimeout(() => {}, 60_000)`;
      const running = runner.start(spec(node(hog), { memoryMegabytes: 128 }));
      let most = 0;
      const look = setInterval(() => {
        most = Math.max(most, running.memoryBytes());
      }, 5);
      const { reason } = await running.ended;
      clearInterval(look);
      assert.equal(reason, 'killed: it used more than 128 MB of memory');
      // On a busy machine the server looks late.
      if (isFullRun) assert.ok(most < 1024 * 1_048_576, `${most} bytes`);
    });

    test('the kernel refuses more tasks than one program may have', inSandbox, async () => {
      const running = runner.start(spec(['/bin/sh', '-c', 'ulimit -u 2>/dev/null || bash -c "ulimit -u"']));
      let output = '';
      running.stdout.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
      await running.ended;
      assert.equal(output, '1024\n');
    });

    test('a process that cannot be started reports why, and leaves no traces', { skip: isSandboxed }, async () => {
      for (const given of [spec(['/does/not/exist']), spec(['true'], { directory: '/does/not/exist' })]) {
        assert.match((await runner.start(given).ended).reason, /does not exist/);
      }
      assert.match((await runner.start(spec([folder])).ended).reason, /may not be executed/);
      await until('no process is noted', async () => (await tokens()).length === 0);
    });

    test('processes of a killed server are ended by the next server', { skip: isSandboxed }, async () => {
      const notes = join(folder, 'left');
      const module = join(import.meta.dirname, 'process-runner.ts');
      const server = spawn(
        process.execPath,
        [
          '--input-type=module',
          '-e',
          `import { ProcessRunner } from ${JSON.stringify(module)};
         new ProcessRunner(${JSON.stringify(notes)}).start({
           command: ['sleep', '1000'], directory: '/', environment: { PATH: process.env.PATH }, memoryMegabytes: 64, input: false,
           files: { writable: [], temporary: '/', readable: [], machine: [] },
         });
         setInterval(() => {}, 1000);`,
        ],
        { stdio: 'inherit' },
      );
      const token = await until('its process runs', async () => {
        const [name] = existsSync(notes) ? await readdir(notes) : [];
        const found = name?.replace('.json', '');
        return found !== undefined && processesMarked(found).length > 0 && found;
      });
      new ProcessRunner(notes);
      assert.equal(processesMarked(token).length, 1, 'the process lives as long as its server');
      server.kill('SIGKILL');
      // From now on it runs no more code, but stays in the process table for some milliseconds.
      await until('the server is ended', () => factsOf(server.pid ?? 0)?.ended !== false);
      assert.equal(processesMarked(token).length, 1, 'the process outlived its server');
      new ProcessRunner(notes);
      await until('it has ended', () => processesMarked(token).length === 0);
      assert.deepEqual(await readdir(notes), []);
    });
  });

/** Undefined where the kernel does not group by session. */
function sessionNiceOf(pid: number): number | undefined {
  try {
    return Number(/nice (-?\d+)/.exec(readFileSync(`/proc/${pid}/autogroup`, 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
}
