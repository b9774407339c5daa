/** A terminal in which a test runs the commands that a page shows, with the Prefect client of the tests. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';

const environment = fileURLToPath(new URL('../../.work/prefect-3.9.1', import.meta.url));
/** Commands that make an environment, instead of which that of the tests is used. */
const ENVIRONMENT = /^(python3 -m|uv) venv .*$/m;
const ACTIVATE = '. .venv/bin/activate';

export interface Terminal {
  /** Runs the lines of a snippet of the page, by its title; the exports stay for the next ones. */
  run(page: Page, title: string): Promise<string>;
  /** Starts a program that goes on until the terminal is closed. */
  start(page: Page, title: string): Promise<void>;
  close(): Promise<void>;
}

/** The text of a snippet, as it is copied. */
export async function snippetOf(page: Page, title: string): Promise<string> {
  const text = await page.getByRole('region', { name: title, exact: true }).locator('pre').textContent();
  return text ?? '';
}

export async function openTerminal(): Promise<Terminal> {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-terminal-'));
  await symlink(resolve(environment), join(folder, '.venv'));
  const exports: string[] = [];
  const programs: ReturnType<typeof spawn>[] = [];
  const begin = (text: string) => {
    const script = [ACTIVATE, ...exports, text.replace(ENVIRONMENT, ACTIVATE)].join('\n');
    exports.push(...text.split('\n').filter((line) => line.startsWith('export ')));
    // Its own process group ends with all that it started.
    return spawn('bash', ['-ec', script], {
      cwd: folder,
      detached: true,
      env: {
        PATH: '/usr/local/bin:/usr/bin:/bin',
        HOME: folder,
        PREFECT_HOME: join(folder, '.prefect'),
        NO_COLOR: '1',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  };
  return {
    async run(page, title) {
      const program = begin(await snippetOf(page, title));
      let output = '';
      for (const stream of [program.stdout, program.stderr]) stream.on('data', (data) => (output += String(data)));
      const code = await new Promise((done) => program.once('exit', done));
      if (code !== 0) throw new Error(`"${title}" ended with ${code}:\n${output}`);
      return output;
    },
    async start(page, title) {
      programs.push(begin(await snippetOf(page, title)));
    },
    async close() {
      for (const program of programs) {
        if (program.pid === undefined || program.exitCode !== null) continue;
        const ended = new Promise((done) => program.once('exit', done));
        process.kill(-program.pid, 'SIGKILL');
        await ended;
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
}
