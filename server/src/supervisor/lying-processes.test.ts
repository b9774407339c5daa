/** A supervisor whose processes tell what they should not, or do not start. */
import assert from 'node:assert/strict';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { readConfig } from '../config.ts';
import { createLogger } from '../watching/logger.ts';
import { Supervisor } from './supervisor.ts';

/** Serves nothing. Says that it is in a wrong state when it is to end, and ends. */
const FAULTED_AT_THE_END = `
  import { appendFileSync } from 'node:fs';
  appendFileSync(new URL('starts', import.meta.url), '.');
  process.on('message', ({ kind }) => {
    if (kind === 'start') process.send({ kind: 'ready', ready: { pid: process.pid, version: '1', hosting: '' } });
    if (kind !== 'drain') return;
    process.send({ kind: 'faulted' }, () => process.exit(0));
  });`;

describe('a supervisor', { skip: process.platform === 'win32' && 'it starts a shell script' }, () => {
  const node = process.execPath;
  let home = '';
  let program = '';
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'signalbox-lying-'));
    program = join(home, 'process.sh');
    const script = join(home, 'process.mjs');
    await writeFile(script, FAULTED_AT_THE_END);
    await writeFile(program, `#!/bin/sh\nexec "${node}" "${script}"\n`);
    await chmod(program, 0o755);
  });
  after(async () => {
    process.execPath = node;
    await rm(home, { recursive: true, force: true });
  });

  /** The lines of its log. */
  const supervise = () => {
    const lines: { readonly msg: string; readonly processes?: number; readonly err?: { readonly message: string } }[] =
      [];
    const log = { write: (line: string) => lines.push(JSON.parse(line)) > 0, whenFree: () => {}, flush: () => {} };
    const config = { ...readConfig({}, {}), home, host: '127.0.0.1', port: 0, drainDelaySeconds: 0 };
    const logger = createLogger('info', log);
    return { lines, supervisor: new Supervisor({ config, processes: 1, flags: {}, logger, log }) };
  };

  test('starts no process in place of one that ends and says that it has a fault', async () => {
    process.execPath = program;
    const { supervisor, lines } = supervise();
    await supervisor.start();
    await supervisor.restart();
    await supervisor.restart();
    assert.deepEqual(
      lines.filter(({ msg }) => msg === 'all processes are new').map(({ processes }) => processes),
      [1, 1],
    );
    await supervisor.stop();
    assert.equal(await readFile(join(home, 'starts'), 'utf8'), '...');
  });

  test('tries again when the system starts no process, and ends in order', async () => {
    process.execPath = program;
    const { supervisor, lines } = supervise();
    await supervisor.start();
    process.execPath = join(home, 'missing');
    await supervisor.restart();
    const failed = lines.find(({ msg }) => msg.startsWith('a new process could not be started'));
    assert.match(failed?.err?.message ?? '', /ENOENT/);
    process.execPath = program;
    await supervisor.restart();
    assert.equal(lines.find(({ msg }) => msg === 'all processes are new')?.processes, 1);
    await supervisor.stop();
  });
});
