/** Runs the program from its sources, as a terminal does. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const program = join(import.meta.dirname, '../../src/main.js');

export interface Printed {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** What it prints until it exits, or until it has printed `enough`. Nothing of this process's environment is in its own. */
export async function runProgram(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  enough?: RegExp,
): Promise<Printed> {
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env['PATH'], HOME: tmpdir(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    printed.out += chunk;
    if (enough?.test(printed.out)) child.kill();
  });
  child.stderr.on('data', (chunk: Buffer) => (printed.err += chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...printed };
}
