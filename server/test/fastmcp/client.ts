/** The unmodified FastMCP command line, in a virtual environment that is created once. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cleanEnvironment } from '../prefect/environment.ts';

const environment = join(import.meta.dirname, '../../../.work/fastmcp-venv');
const REQUIREMENT = 'fastmcp==4.1.2';
const COMMAND_SECONDS = 60;

/** A program is missing on this machine: the suite is skipped and shows the message. */
export class FastMcpMissing extends Error {}

/** The program of SIGNALBOX_TEST_FASTMCP, or an installed one. Throws FastMcpMissing without Python. */
export async function prepareFastMcp(say: (line: string) => void): Promise<string> {
  const named = process.env['SIGNALBOX_TEST_FASTMCP'];
  if (named) return named;
  const program = join(environment, 'bin/fastmcp');
  // Written last, so that an interrupted installation is repeated.
  const marker = join(environment, `installed-${REQUIREMENT}`);
  if (existsSync(marker)) return program;
  if (spawnSync('python3', ['-c', 'import venv, ensurepip']).status !== 0) {
    throw new FastMcpMissing('Python 3 with venv is missing: install it, or set SIGNALBOX_TEST_FASTMCP');
  }
  say(`making ${environment} with ${REQUIREMENT} (once)`);
  await rm(environment, { recursive: true, force: true });
  await mkdir(environment, { recursive: true });
  for (const [command, ...argv] of [
    ['python3', '-m', 'venv', environment],
    [join(environment, 'bin/pip'), 'install', '--quiet', '--disable-pip-version-check', REQUIREMENT],
  ] as const) {
    const { status, stderr } = spawnSync(command, argv, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`${command} ${argv.join(' ')}: ${stderr}`);
  }
  await writeFile(marker, '');
  return program;
}

export interface Ran {
  readonly code: number | null;
  /** The JSON on stdout; undefined when there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: what a test reads of an answer is its own assertion
  readonly answer: any;
  readonly output: string;
}

/**
 * Runs a command with `home` as its state. `onUserCode` gets the code that a sign-in shows, as a person would read it.
 */
export function runFastMcp(
  program: string,
  home: string,
  argv: readonly string[],
  onUserCode?: (code: string) => void,
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    // A browser that does nothing: this machine has no screen to show it on.
    const added = {
      HOME: home,
      FASTMCP_HOME: join(home, 'fastmcp'),
      BROWSER: 'true',
      FASTMCP_CHECK_FOR_UPDATES: 'off',
    };
    const child = spawn(program, [...argv, '--json'], { cwd: home, env: cleanEnvironment(added) });
    const timer = setTimeout(() => child.kill('SIGKILL'), COMMAND_SECONDS * 1000);
    let [stdout, stderr, shown] = ['', '', false];
    const look = () => {
      const code = /"userCode": ?"([^"]+)"/.exec(stdout + stderr)?.[1];
      if (code === undefined || shown) return;
      shown = true;
      onUserCode?.(code);
    };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      look();
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
      look();
    });
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      const last = stdout.trim().split('\n').at(-1) ?? '';
      resolve({ code, answer: last.startsWith('{') ? JSON.parse(last) : undefined, output: stdout + stderr });
    });
  });
}
