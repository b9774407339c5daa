import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { asCalled, type Invocation, programOf } from './invocation.ts';

test('a message names a command as it is called in the installation at hand', () => {
  const given: Invocation = { entry: '/opt/bin/signalbox', node: '/usr/bin/node', environment: {}, isClone: false };
  const called = (more: Partial<Invocation>) =>
    asCalled('Run "signalbox keys list" first.', programOf({ ...given, ...more }));
  assert.equal(called({ isClone: true }), 'Run "npm run -s signalbox -- keys list" first.');
  assert.equal(called({ environment: { npm_command: 'exec' } }), 'Run "npx signalbox keys list" first.');
  assert.equal(called({ environment: { PATH: '/bin:/opt/bin' } }), 'Run "signalbox keys list" first.');
  assert.equal(called({}), 'Run "/opt/bin/signalbox keys list" first.', 'where a shell does not find it');
  assert.match(called({ node: '/app/node' }), /^Run "docker exec -i <container> .*main\.js keys list" first\.$/);
  assert.equal(called({ entry: '/srv/dist/main.js' }), 'Run "node /srv/dist/main.js keys list" first.');
});

test('an error, the help and the doctor of a clone name commands that can be copied', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-called-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  // A link such as npm makes is still the program of the clone.
  const link = join(folder, 'signalbox');
  symlinkSync(join(import.meta.dirname, 'main.js'), link);
  const run = (...args: string[]) => {
    const { stdout, stderr } = spawnSync(process.execPath, [link, ...args], {
      env: { PATH: process.env['PATH'], SIGNALBOX_HOME: join(folder, 'home'), NO_COLOR: '1' },
      encoding: 'utf8',
    });
    return stdout + stderr;
  };
  assert.match(run('user', 'list'), /Did you mean "users list".*"npm run -s signalbox -- --help" lists all\./);
  const help = run('keys', 'list', '--help');
  assert.match(help, /^npm run -s signalbox -- keys list /);
  assert.match(help, /"npm run -s signalbox -- config" prints/);
});
