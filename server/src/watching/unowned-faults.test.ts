/** Runs the program, and makes an error that no part of it catches. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { until } from '../../test/support/until.ts';

const program = join(import.meta.dirname, '../main.js');
/** Loaded before the program: what the signals stand for happens outside of all its work. */
const PLANTED = `
process.on('SIGUSR2', () => { throw new Error('planted exception'); });
process.on('SIGHUP', () => { Promise.reject(new Error('planted rejection')); });
`;

async function started(t: TestContext) {
  const home = await mkdtemp(join(tmpdir(), 'signalbox-unowned-'));
  const planted = join(home, 'planted.mjs');
  await writeFile(planted, PLANTED);
  const child = spawn(process.execPath, ['--import', planted, program, 'server', 'start', '--port', '0', '--json'], {
    env: {
      PATH: process.env['PATH'],
      SIGNALBOX_HOME: home,
      SIGNALBOX_HOSTING: 'off',
      SIGNALBOX_DRAIN_DELAY_SECONDS: '3',
      SIGNALBOX_LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.after(async () => {
    child.kill('SIGKILL');
    await rm(home, { recursive: true, force: true });
  });
  const exit = once(child, 'exit');
  let out = '';
  let log = '';
  child.stdout.on('data', (text) => {
    out += text;
  });
  child.stderr.on('data', (text) => {
    log += text;
  });
  await until('the server is ready', () => out.includes('\n') || child.exitCode !== null, 60);
  assert.match(out, /"url"/, log);
  const { url } = JSON.parse(out) as { url: string };
  return { child, exit, log: () => log, ready: () => fetch(`${url}/api/ready`) };
}

test('an exception that nothing caught is logged, told at /api/ready, and ends the program in order', async (t) => {
  const { child, exit, log, ready } = await started(t);
  assert.equal((await ready()).status, 200);
  child.kill('SIGUSR2');
  const refused = await until('it is not ready', async () => {
    const answer = await ready();
    return answer.status === 503 && answer;
  });
  assert.match(((await refused.json()) as { message: string }).message, /unexpected error/);
  assert.deepEqual(await exit, [1, null]);
  assert.match(log(), /planted exception/);
  assert.match(log(), /the server stops/);
});

test('a rejection that nothing handled is logged, and the server goes on', async (t) => {
  const { child, exit, log, ready } = await started(t);
  child.kill('SIGHUP');
  await until('it is logged', () => log().includes('planted rejection'));
  assert.equal((await ready()).status, 200);
  child.kill('SIGTERM');
  assert.deepEqual(await exit, [0, null]);
});
