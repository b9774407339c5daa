/** The unmodified FastMCP command line, in a virtual environment that is created once. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { cleanEnvironment } from '../prefect/environment.ts';
import { preparePackage } from '../support/python-packages.ts';

const REQUIREMENT = 'fastmcp==4.1.2';
const COMMAND_SECONDS = 60;

/** The program of SIGNALBOX_TEST_FASTMCP, or an installed one. Throws ProgramMissing without Python. */
export async function prepareFastMcp(say: (line: string) => void): Promise<string> {
  return process.env['SIGNALBOX_TEST_FASTMCP'] || join(await preparePackage('fastmcp', REQUIREMENT, say), 'fastmcp');
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
