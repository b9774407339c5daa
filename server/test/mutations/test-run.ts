/** Runs test files of a checkout until the first test fails. */
import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, chmodSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export type Ending =
  | { readonly kind: 'passed'; readonly seconds: number }
  /** `process`: the files whose process ran the test, where the output says so. */
  | { readonly kind: 'failed'; readonly test: string; readonly process: readonly string[] }
  /** It had not ended at the time limit. */
  | { readonly kind: 'late' };

/** How Node's test runner writes a test that failed. The summary at the end repeats it. */
const FAILED = /^\s*✖ (.+) \(\d+(?:\.\d+)?ms\)|^(The process of these files ended early)/;
/** Above the output of a process: its files. */
const FILES = /^\S+\.test\.ts(?: \S+\.test\.ts)*$/;

let running: { readonly child: ChildProcess; readonly files: string } | undefined;
process.once('exit', () => {
  if (running) endRun(running.child, running.files);
});

export interface RunOptions {
  /** The checkout. */
  readonly root: string;
  readonly files: readonly string[];
  readonly limitSeconds: number;
  readonly postgresUrl: string | undefined;
  /** Receives the output. */
  readonly log: string;
}

export async function runUntilFailure({ root, files, limitSeconds, postgresUrl, log }: RunOptions): Promise<Ending> {
  const began = Date.now();
  const temporary = mkdtempSync(join(tmpdir(), 'signalbox-mutations-'));
  // A cluster of PostgreSQL that a test starts there has a user of its own.
  chmodSync(temporary, 0o755);
  const child = spawn(process.execPath, ['server/test/run.ts', ...files], {
    cwd: root,
    // A process group of its own can be ended as a whole.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      NO_COLOR: '1',
      TMPDIR: temporary,
      ...(postgresUrl === undefined ? {} : { SIGNALBOX_TEST_POSTGRES_URL: postgresUrl }),
    },
  });
  running = { child, files: temporary };
  const ending = await new Promise<Ending>((resolve) => {
    const limit = setTimeout(() => resolve({ kind: 'late' }), limitSeconds * 1000);
    let last = '';
    let group: readonly string[] = [];
    for (const output of [child.stdout, child.stderr]) {
      createInterface(output).on('line', (line) => {
        appendFileSync(log, `${line}\n`);
        if (line.trim() !== '') last = line.trim();
        if (FILES.test(line)) group = line.split(' ');
        const [, test, early] = FAILED.exec(line) ?? [];
        const name = test ?? early;
        if (name !== undefined) resolve({ kind: 'failed', test: name, process: group });
      });
    }
    child.once('close', (code) => {
      clearTimeout(limit);
      const seconds = (Date.now() - began) / 1000;
      resolve(code === 0 ? { kind: 'passed', seconds } : { kind: 'failed', test: last, process: [] });
    });
  });
  endRun(child, temporary);
  running = undefined;
  appendFileSync(log, `== ${JSON.stringify(ending)}\n`);
  return ending;
}

/** Ends what is left of a run, also what tests started in process groups of their own. */
function endRun(child: ChildProcess, temporary: string): void {
  if (child.exitCode === null && child.pid !== undefined) end(-child.pid);
  for (const pid of processesOf(temporary)) end(pid);
  rmSync(temporary, { recursive: true, force: true, maxRetries: 5 });
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** Processes that work in a folder or were told of it. Empty where there is no /proc. */
function processesOf(folder: string): number[] {
  const readable = <T>(read: () => T, otherwise: T): T => {
    try {
      return read();
    } catch {
      return otherwise;
    }
  };
  const numbers = readable(() => readdirSync('/proc'), []).filter((name) => /^\d+$/.test(name));
  return numbers.map(Number).filter((pid) => {
    const place = readable(() => readlinkSync(`/proc/${pid}/cwd`), '');
    return (
      place.startsWith(folder) || readable(() => readFileSync(`/proc/${pid}/environ`, 'utf8'), '').includes(folder)
    );
  });
}
