/** Drives the program with two processes, as a terminal, a service manager and clients do. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { freePort } from '../../test/support/free-port.ts';
import { startPostgres, type TestPostgres } from '../../test/support/postgres.ts';
import { program, runProgram } from '../../test/support/program.ts';
import { databases } from '../../test/support/server.ts';
import { newPostgres } from '../../test/support/templates.ts';
import { until } from '../../test/support/until.ts';

const READY = /Signalbox is ready/;
const SECONDS = 240;

interface Running {
  readonly child: ChildProcess;
  readonly url: string;
  readonly port: number;
  readonly printed: { out: string; err: string };
}

function isRunning(pid: number): boolean {
  return existsSync(`/proc/${pid}`) && !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
}

/** The processes that one has started and that serve (Linux). */
function servingOf({ child }: Running): number[] {
  const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ');
  return children
    .filter((pid) => pid !== '' && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('signalbox process'))
    .map(Number);
}

function statusOf(url: string): Promise<number> {
  return fetch(url, { headers: { connection: 'close' } }).then(
    async (answer) => {
      await answer.arrayBuffer();
      return answer.status;
    },
    () => 0,
  );
}

describe('a server of two processes', {
  skip: !databases.includes('postgres') && 'PostgreSQL is not installed',
}, () => {
  let home = '';
  let postgres: TestPostgres;
  let environment: Record<string, string>;
  let server: Running;
  let lastStarted: ChildProcess | undefined;

  async function start(port: number, words: readonly string[] = []): Promise<Running> {
    const child = spawn(process.execPath, [program, 'server', 'start', '--port', String(port), ...words], {
      env: { PATH: process.env['PATH'], HOME: tmpdir(), ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    lastStarted = child;
    const printed = { out: '', err: '' };
    child.stdout.on('data', (chunk: Buffer) => (printed.out += chunk));
    child.stderr.on('data', (chunk: Buffer) => (printed.err += chunk));
    await until('it is ready', () => READY.test(printed.out) || child.exitCode !== null, SECONDS);
    assert.match(printed.out, READY, printed.err);
    return { child, port, url: `http://127.0.0.1:${port}`, printed };
  }

  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'signalbox-supervised-'));
    postgres = (await startPostgres()) as TestPostgres;
    environment = {
      SIGNALBOX_HOME: home,
      SIGNALBOX_DATABASE_URL: await newPostgres(postgres),
      SIGNALBOX_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
      SIGNALBOX_PROCESSES: '2',
      SIGNALBOX_METRICS_PORT: '0',
      SIGNALBOX_HOSTING: 'off',
      SIGNALBOX_DRAIN_SECONDS: '3',
    };
    server = await start(await freePort());
  });
  after(async () => {
    lastStarted?.kill('SIGKILL');
    await postgres.stop();
    await rm(home, { recursive: true, force: true });
  });

  test('it prints one message, with one link for the first account and what the processes share', async () => {
    const { out } = server.printed;
    assert.equal(out.match(/Signalbox is ready/g)?.length, 1);
    assert.match(
      out,
      /processes {3}2, with together 16384 connections, 512 requests, .* up to 18 connections to the database/,
    );
    const [link = ''] = out.match(/http\S+\/setup\?token=\S+/g) ?? [];
    assert.equal(await statusOf(link), 200);
    assert.equal(servingOf(server).length, 2);
  });

  test('no request fails while SIGHUP replaces its processes, streams come again, and metrics go on', async () => {
    const old = servingOf(server);
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/api/events/out`, ['prefect']);
    await once(socket, 'open');
    socket.send(JSON.stringify({ type: 'auth', token: null }));
    socket.send(JSON.stringify({ type: 'filter', filter: { event: { name: ['none'] } } }));
    const closed = once(socket, 'close');
    const statuses = new Map<number, number>();
    let isOver = false;
    const clients = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        const status = await statusOf(`${server.url}/api/health`);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    });
    server.child.kill('SIGHUP');
    await until('all are new', () => server.printed.err.includes('all processes are new'), SECONDS);
    isOver = true;
    await Promise.all(clients);
    assert.deepEqual([...statuses.keys()], [200]);
    const [{ code }] = (await closed) as [CloseEvent];
    assert.equal(code, 1012, 'the client of a stream comes again');
    assert.equal(servingOf(server).filter((pid) => old.includes(pid)).length, 0);
    const [metrics = ''] = /http\S+\/metrics/.exec(server.printed.out) ?? [];
    const told = await (await fetch(metrics)).text();
    const counted = /signalbox_http_requests_total\{route="GET \/health",status="200"\} (\d+)/.exec(told)?.[1];
    assert.equal(Number(counted), statuses.get(200));
    assert.equal(told.match(/^nodejs_eventloop_lag_p99_seconds\{process="\d"\}/gm)?.length, 2);
    assert.match(told, /^signalbox_database_up 1$/m);
  });

  test('settings with a fault, or that need another start, leave the processes as they are', async () => {
    const before = servingOf(server);
    const file = join(home, 'signalbox.toml');
    await writeFile(file, 'retention = "everything"\n');
    server.child.kill('SIGHUP');
    await until('it says so', () => server.printed.err.includes('the settings have a fault'), SECONDS);
    await writeFile(file, 'metrics_host = "127.0.0.2"\n');
    server.child.kill('SIGHUP');
    await until('it says so', () => /needs a restart of the service: metricsHost/.test(server.printed.err), SECONDS);
    await rm(file);
    assert.deepEqual(servingOf(server), before);
  });

  test('a process that is killed is started again, and requests are answered meanwhile', async () => {
    const [killed = 0, other] = servingOf(server);
    process.kill(killed, 'SIGKILL');
    for (let turn = 0; turn < 10; turn++) assert.equal(await statusOf(`${server.url}/api/health`), 200);
    await until(
      'there are two again',
      () => servingOf(server).length === 2 && !servingOf(server).includes(killed),
      SECONDS,
    );
    assert.ok(servingOf(server).includes(other ?? 0));
    assert.match(server.printed.err, /"end":"SIGKILL","msg":"a process has ended; another one is started"/);
  });

  test('a signal to all processes of a terminal ends none but through the supervisor', async () => {
    const before = servingOf(server);
    for (const pid of before) for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.kill(pid, signal);
    for (let turn = 0; turn < 4; turn++) assert.equal(await statusOf(`${server.url}/api/health`), 200);
    assert.deepEqual(servingOf(server), before);
  });

  test('a silent connection is closed, and a half request does not hold a restart up', async () => {
    const silent = connect(server.port, '127.0.0.1');
    await once(silent, 'connect');
    const half = connect(server.port, '127.0.0.1');
    half.write('GET /api/health HTTP/1.1\r\nHost: localhost\r\n');
    const answer = text(half);
    silent.resume();
    await once(silent, 'close');
    assert.match(await answer, /^HTTP\/1.1 408 /);
  });

  test('a second start on its port says that it is in use, and the first goes on', async () => {
    const { code, err } = await runProgram(['server', 'start', '--port', String(server.port)], environment);
    assert.equal(code, 2);
    assert.match(err, /^Port \d+ of 127.0.0.1 is in use\./);
    assert.equal(await statusOf(`${server.url}/api/health`), 200);
  });

  test('processes that cannot start end the start with their reason', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    const words = ['--peer-port', String(port), '--peer-host', '127.0.0.1', '--port', '0'];
    const { code, err, out } = await runProgram(['server', 'start', ...words], environment);
    taken.close();
    assert.deepEqual([code, out], [2, '']);
    assert.match(err, /^The server cannot listen for other servers on port \d+ of 127.0.0.1 \(EADDRINUSE\)/);
  });

  test('its processes end with a supervisor that is killed, and the next start has the port', async () => {
    const left = servingOf(server);
    server.child.kill('SIGKILL');
    await once(server.child, 'exit');
    await until('they have ended', () => !left.some(isRunning), SECONDS);
    server = await start(server.port);
    assert.equal(await statusOf(`${server.url}/api/health`), 200);
  });

  test('SIGTERM, also twice at once, ends all in order', async () => {
    const left = servingOf(server);
    server.child.kill('SIGTERM');
    server.child.kill('SIGTERM');
    const [code] = await once(server.child, 'exit');
    assert.deepEqual([code, left.some(isRunning)], [0, false]);
  });
});
