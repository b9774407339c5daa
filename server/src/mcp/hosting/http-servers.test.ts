import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import {
  ask,
  deployCommand,
  hostedServer,
  makePrograms,
  open,
  outputOf,
  type Programs,
} from '../../../test/support/hosted.ts';
import { timeGiven } from '../../../test/support/local-time.ts';
import { person } from '../../../test/support/platform.ts';
import { databasesOfRun, startServer, type TestServer } from '../../../test/support/server.ts';
import { until } from '../../../test/support/until.ts';
import { UpstreamError } from '../upstream/upstream.ts';
import { factsOf } from './host/machine/process-tree.ts';

/** Answers with the request it got, and acts as the tool's name says. */
const PROGRAM = `
import { createServer } from 'node:http';
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync } from 'node:fs';
console.log('began in', process.cwd());
createServer((request, response) => {
  let body = '';
  request.on('data', (part) => { body += part; });
  request.on('end', () => {
    const { method, params } = JSON.parse(body || '{}');
    if (method === 'crash') process.exit(3);
    if (method === 'deep') {
      mkdirSync('read-only/inner', { recursive: true });
      chmodSync('read-only', 0o555);
      for (let depth = 0; depth < 40; depth++) {
        mkdirSync('d'.repeat(200));
        process.chdir('d'.repeat(200));
      }
      process.exit(0);
    }
    if (method === 'silence') return;
    if (method === 'hold') return void response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {}\\n\\n');
    if (method === 'flood') for (let n = 0; n < params.lines; n++) process.stdout.write('flood '.repeat(20) + n + '\\n');
    if (method === 'long') process.stderr.write('x'.repeat(5_000_000) + ' end\\n');
    if (method === 'fork') {
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'inherit' });
      return void response.end(JSON.stringify({ child: child.pid }));
    }
    if (method === 'hog') { globalThis.kept = []; setInterval(() => globalThis.kept.push(Buffer.alloc(30_000_000, 1)), 20); }
    const { pid, env } = process;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ pid, env, cwd: process.cwd(), headers: request.headers, url: request.url, http: request.method }));
  });
}).listen(Number(process.env.PORT), '127.0.0.1');
`;

const request = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params });
const isAlive = (pid: number) => {
  const facts = factsOf(pid);
  return facts !== undefined && !facts.ended;
};

async function failure(promise: Promise<unknown>): Promise<UpstreamError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof UpstreamError, `expected an UpstreamError, got ${String(error)}`);
  return error;
}

for (const database of databasesOfRun) {
  describe(`hosted servers over HTTP on ${database}`, () => {
    let server: TestServer;
    let programs: Programs;
    let command: string[];
    let count = 0;
    /** Milliseconds that have passed for the server. */
    let passed = 0;
    before(async () => {
      const local = timeGiven(() => passed);
      server = await startServer({ database, config: { hosting: 'process' }, local });
      await person(server, 'ada@example.com', 'admin');
      programs = await makePrograms();
      command = await programs.node('program', PROGRAM);
    });
    after(async () => {
      await server.stop();
      await programs.remove();
    });

    async function deployed(connection: Parameters<typeof hostedServer>[2] = {}, given = command): Promise<string> {
      const id = await hostedServer(server, `server-${++count}`, connection);
      await deployCommand(server, id, given);
      return id;
    }
    const upstream = (id: string) => server.server.hosting.upstreamOf(id);

    test("a request starts the process, which gets no variables of this server's environment", async () => {
      process.env['SIGNALBOX_TEST_SECRET'] = 'of the server';
      const id = await deployed();
      const answer = await ask(await upstream(id), request('tools/list'), { 'signalbox-actor': 'ada' });
      assert.equal(answer.status, 200);
      assert.equal(answer.body.http, 'POST');
      assert.equal(answer.body.url, '/mcp');
      assert.equal(answer.body.headers['signalbox-actor'], 'ada');
      assert.equal(answer.body.env.SIGNALBOX_SERVER_ID, id);
      assert.equal(answer.body.env.SIGNALBOX_TOKEN.length, 43);
      assert.equal(answer.body.headers['signalbox-token'], answer.body.env.SIGNALBOX_TOKEN);
      assert.equal(answer.body.env.HOME, answer.body.cwd);
      assert.deepEqual(
        Object.keys(answer.body.env).filter(
          (name) =>
            !/^(PATH|HOME|TMPDIR|LANG|PYTHONUNBUFFERED|(FASTMCP_)?(PORT|HOST)|SIGNALBOX_(PROCESS|SERVER_ID|BUILD_ID|TOKEN))$/.test(
              name,
            ),
        ),
        [],
      );
      assert.equal(server.server.hosting.report(id).state, 'running');
      await until('the output is stored', async () =>
        (await outputOf(server, id)).includes(`stdout: began in ${answer.body.cwd}`),
      );
    });

    test('concurrent callers share one start', async () => {
      const id = await deployed();
      const answers = await Promise.all(
        Array.from({ length: 20 }, async () => ask(await upstream(id), request('tools/list'))),
      );
      assert.equal(new Set(answers.map(({ body }) => body.pid)).size, 1);
    });

    test('a server without a live deployment is unavailable, and the answer says why', async () => {
      const id = await hostedServer(server, 'empty');
      const { fault, message } = await failure(upstream(id));
      assert.deepEqual([fault, message], ['absent', 'The server has no live deployment.']);
    });

    test('a command that is missing or never listens is reported', async () => {
      const missing = await deployed({}, ['/does/not/exist']);
      assert.match((await failure(upstream(missing))).message, /does not exist/);
      const deaf = await deployed({ startSeconds: 0.2 }, [process.execPath, '-e', 'setInterval(() => {}, 1000)']);
      assert.match((await failure(upstream(deaf))).message, /does not answer on its port/);
      await until('the reason is in the log', async () =>
        (await outputOf(server, deaf)).some((line) => line.startsWith('system: The server did not start')),
      );
    });

    test('a server that crashes repeatedly is restarted after growing pauses, and callers learn when to retry', async () => {
      const id = await deployed({}, [process.execPath, '-e', 'process.exit(7)']);
      for (const pauseSeconds of [1, 2, 4, 8, 16]) {
        assert.match((await failure(upstream(id))).message, /exited with status 7/);
        passed += pauseSeconds * 1000;
      }
      assert.match((await failure(upstream(id))).message, /exited with status 7/);
      const refused = await failure(upstream(id));
      assert.match(refused.message, /failed recently/);
      assert.ok(refused.retryAfterSeconds! > 16);
      assert.equal(server.server.hosting.report(id).state, 'waiting');
      await deployCommand(server, id, command);
      assert.equal(
        (await ask(await upstream(id), request('tools/list'))).status,
        200,
        'a new deployment starts at once',
      );
    });

    test('a process that crashes fails its requests and is started again', async () => {
      const id = await deployed();
      const first = (await ask(await upstream(id), request('tools/list'))).body.pid;
      assert.equal((await failure(ask(await upstream(id), request('crash')))).fault, 'connection');
      await until('the crash is noticed', () => server.server.hosting.report(id).failures === 1);
      passed += 1000;
      const second = (await ask(await upstream(id), request('tools/list'))).body.pid;
      assert.notEqual(second, first);
    });

    test('whatever a program leaves in its folder is removed after its end, and the server serves on', async () => {
      const id = await deployed();
      const { cwd } = (await ask(await upstream(id), request('x'))).body;
      await failure(ask(await upstream(id), request('deep')));
      await until('its folder is gone', () => !existsSync(dirname(cwd)));
      const removed = join(server.server.config.home, 'hosting', 'removed');
      await until('nothing is left of it', async () => (await readdir(removed)).length === 0);
      assert.equal((await ask(await upstream(await deployed()), request('x'))).status, 200);
    });

    test('an idle process ends; one with an open stream stays', async () => {
      const idleSeconds = 0.1;
      const id = await deployed({ idleSeconds });
      const stream = open(await upstream(id), request('hold'));
      await until('the stream has begun', () => stream.text() !== '');
      const { pid, cwd } = (await ask(await upstream(id), request('tools/list'))).body;
      await delay(3 * idleSeconds * 1000);
      assert.ok(isAlive(pid));
      stream.abort();
      await until('it has ended', () => !isAlive(pid));
      await until('its state says so', () => server.server.hosting.report(id).state === 'stopped');
      const { existsSync } = await import('node:fs');
      await until('its folder is gone', () => !existsSync(cwd));
      assert.equal(server.server.hosting.report(id).failures, 0);
    });

    test('after a change new requests get a new process, and running requests end in the old one', async () => {
      const id = await deployed();
      const { pid } = (await ask(await upstream(id), request('tools/list'))).body;
      const stream = open(await upstream(id), request('hold'));
      await until('the stream has begun', () => stream.text() !== '');
      await deployCommand(server, id, command);
      const next = (await ask(await upstream(id), request('tools/list'))).body.pid;
      assert.notEqual(next, pid);
      assert.ok(isAlive(pid));
      stream.abort();
      await until('the old one has ended', () => !isAlive(pid));
      assert.ok(isAlive(next));
    });

    test('child processes end with their process, also outside its group', async () => {
      const id = await deployed();
      const { child } = (await ask(await upstream(id), request('fork'))).body;
      assert.ok(isAlive(child));
      await assert.rejects(ask(await upstream(id), request('crash')));
      await until('the child has ended too', () => !isAlive(child));
    });

    test('a process that ignores the request to stop is killed', async () => {
      const stubborn = await programs.node('stubborn', `process.on('SIGTERM', () => console.log('no'));${PROGRAM}`);
      const id = await deployed({}, stubborn);
      const { pid } = (await ask(await upstream(id), request('tools/list'))).body;
      server.server.hub.tell('servers', id, 'restart');
      await until('it has been killed', () => !isAlive(pid));
      await until('the log says why', async () =>
        (await outputOf(server, id)).some((line) => /did not end within 5 s/.test(line)),
      );
    });

    test('a process that exceeds its memory is killed, and its requests fail', async () => {
      const id = await deployed({ memoryMegabytes: 200 });
      await ask(await upstream(id), request('hog'));
      await until('it has been killed', () => server.server.hosting.report(id).failures === 1);
      assert.match(server.server.hosting.report(id).lastFailure ?? '', /more than 200 MB of memory/);
    });

    test('a flood of output is reduced, and the log reports the omission', async () => {
      const id = await deployed();
      await ask(await upstream(id), request('flood', { lines: 60_000 }));
      await ask(await upstream(id), request('long'));
      assert.equal((await ask(await upstream(id), request('tools/list'))).status, 200, 'the program still answers');
      const dropped = /^system: \d+ lines were dropped: too much output$/;
      const lines = await until('the log reports the dropped lines', async () => {
        const stored = await outputOf(server, id);
        return stored.some((line) => dropped.test(line)) && stored;
      });
      // As many as at once, because no time passes.
      assert.ok(lines.length < 4100, `${lines.length} lines are stored`);
      assert.ok(lines.every((line) => line.length < 9000));
    });

    test('a request that is not answered in time gets an error', async () => {
      const id = await deployed({ answerSeconds: 0.3 });
      assert.equal((await failure(ask(await upstream(id), request('silence')))).fault, 'timeout');
      const isServed = async () =>
        ask(await upstream(id), request('tools/list')).then(
          ({ status }) => status === 200,
          () => false,
        );
      await until('another is answered', isServed);
    });

    test('a deleted server ends at once', async () => {
      const id = await deployed();
      const { pid } = (await ask(await upstream(id), request('tools/list'))).body;
      server.server.hub.tell('servers', id, 'deleted');
      await until('it has ended', () => !isAlive(pid));
    });
  });
}

test('no program runs where hosting is off', async () => {
  const server = await startServer();
  await person(server, 'ada@example.com', 'admin');
  const id = await hostedServer(server, 'off');
  await deployCommand(server, id, [process.execPath, '--version']);
  const { message } = await failure(server.server.hosting.upstreamOf(id));
  assert.match(message, /SIGNALBOX_HOSTING/);
  await server.stop();
});

test('a server that stops ends its processes', async () => {
  const server = await startServer({ config: { hosting: 'process' } });
  await person(server, 'ada@example.com', 'admin');
  const programs = await makePrograms();
  const id = await hostedServer(server, 'stopping');
  await deployCommand(server, id, await programs.node('program', PROGRAM));
  const { pid } = (await ask(await server.server.hosting.upstreamOf(id), request('tools/list'))).body;
  await server.stop();
  assert.ok(!isAlive(pid));
  await programs.remove();
});
