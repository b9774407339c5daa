/**
 * `npm run test:package`: packs the server, installs the package in an empty folder as `npx` does, and uses it. The
 * last line is `N passed, N failed, N skipped`; before it come the size and the time to ready.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { countsLine } from '../support/counts.ts';
import { freePort } from '../support/free-port.ts';
import { until } from '../support/until.ts';

const repository = join(import.meta.dirname, '..', '..', '..');
const READY_WITHIN_SECONDS = 30;
const folder = await mkdtemp(join(tmpdir(), 'signalbox-package-'));
const tally = { passed: 0, failed: 0 };

const pack = () => run(process.execPath, [join(repository, 'scripts', 'pack.mjs')], repository).split(' ');
const digestOf = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');
const tarball = await check('it packs', () => {
  const [path = '', size] = pack();
  console.log(`      ${size} MB`);
  return path;
});
if (tarball) {
  await check('packing again makes the same file', () => {
    const first = digestOf(tarball);
    pack();
    assert.equal(digestOf(tarball), first);
  });
}
if (tarball) {
  await check('it installs in an empty folder', async () => {
    await writeFile(join(folder, 'package.json'), '{"private":true}');
    run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', tarball], folder);
  });
  await check('it tells what it is made of', () => {
    const read = (name: string) => readFileSync(join(folder, 'node_modules', 'signalbox', name), 'utf8');
    const { bomFormat, components } = JSON.parse(read('sbom.cdx.json'));
    assert.equal(bomFormat, 'CycloneDX');
    const licences = read('LICENSES.md');
    for (const name of ['fastify', 'kysely', 'react']) {
      assert.ok(
        components.some((one: { name: string }) => one.name === name),
        name,
      );
      assert.ok(licences.includes(`| ${name} | `), name);
    }
    assert.match(licences, /### react [\d.]+\n\nMIT License/);
    assert.ok(!licences.includes('not declared'));
  });
  await check('it prints its version', () =>
    assert.match(run('npx', ['signalbox', '--version'], folder), /\d+\.\d+\.\d+/),
  );
  await check('it serves the API, the documentation and the dashboard, and stops on request', serve);
}
await rm(folder, { recursive: true, force: true });
console.log(countsLine({ ...tally, skipped: 0 }));
process.exitCode = tally.failed > 0 ? 1 : 0;

async function serve(): Promise<void> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const began = performance.now();
  const program = join(folder, 'node_modules', '.bin', 'signalbox');
  const child = spawn(program, ['server', 'start', '--port', String(port)], {
    env: { ...environment(), SIGNALBOX_HOME: join(folder, 'home') },
    stdio: 'ignore',
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  try {
    await until('the server is ready', () => isReady(url), READY_WITHIN_SECONDS);
    console.log(`      ready after ${((performance.now() - began) / 1000).toFixed(1)} s`);
    const page = await (await fetch(url, { headers: { accept: 'text/html' } })).text();
    const [, script] = /src="\.\/(assets\/[^"]+\.js)"/.exec(page) ?? [];
    assert.ok(script, page);
    assert.equal((await fetch(`${url}/${script}`)).status, 200);
    assert.equal((await fetch(`${url}/docs`)).status, 200);
    assert.equal((await fetch(`${url}/help/settings`)).status, 200);
    const body = JSON.stringify({ name: 'packed' });
    const headers = { 'content-type': 'application/json' };
    assert.equal((await fetch(`${url}/api/flows/`, { method: 'POST', headers, body })).status, 201);
    assert.equal((await fetch(`${url}/api/flows/count`, { method: 'POST', headers, body: '{}' })).status, 200);
    const block = await fetch(`${url}/api/block_types/slug/secret`);
    assert.equal(block.status, 200);
  } finally {
    child.kill('SIGTERM');
  }
  assert.equal(await ended, 0);
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/api/ready`)).ok;
  } catch {
    return false;
  }
}

async function check<T>(name: string, work: () => T | Promise<T>): Promise<T | undefined> {
  try {
    const value = await work();
    tally.passed += 1;
    console.log(`ok    ${name}`);
    return value;
  } catch (error) {
    tally.failed += 1;
    console.log(`FAIL  ${name}\n${String((error as Error).stack).replaceAll(/^/gm, '    | ')}`);
    return undefined;
  }
}

function run(program: string, words: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(program, words, { cwd, encoding: 'utf8', env: environment() });
  assert.equal(status, 0, `${program} ${words.join(' ')}: ${stderr}`);
  return stdout.trim();
}

/** The settings of the caller's shell do not count, and programs run on the Node that runs this. */
function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(SIGNALBOX|npm)_/.test(name));
  const path = [join(process.execPath, '..'), process.env['PATH']].join(delimiter);
  return { ...Object.fromEntries(kept), PATH: path };
}
