/** Programs that run beside the tests, and their output. */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { cleanEnvironment } from '../prefect/environment.ts';

const START_SECONDS = 60;

export interface Ran {
  readonly code: number;
  readonly output: string;
}

interface RunOptions {
  readonly seconds: number;
  readonly cwd: string;
  readonly environment?: Record<string, string>;
  /** Called with all that the program has printed so far. */
  seen?(output: string): void;
}

/** Runs a program to its end. After `seconds` it is killed, and its code is 124. */
export function runToEnd(
  command: string,
  args: readonly string[],
  { seconds, cwd, environment = {}, seen }: RunOptions,
): Promise<Ran> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env: cleanEnvironment(environment), stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const keep = (part: Buffer) => {
      output += part;
      seen?.(output);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    const timer = setTimeout(() => child.kill('SIGKILL'), seconds * 1000);
    child.once('error', (error) => resolve({ code: 1, output: output + error.message }));
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve({ code: code ?? 124, output });
    });
  });
}

/** Starts a server that keeps running; resolves when its address answers. */
export async function startProgram(
  command: string,
  args: readonly string[],
  { address, cwd, environment = {} }: { address: string; cwd: string; environment?: Record<string, string> },
): Promise<ChildProcess> {
  const child = spawn(command, args, { cwd, env: cleanEnvironment(environment), stdio: 'ignore' });
  let ended = false;
  child.once('close', () => {
    ended = true;
  });
  const deadline = Date.now() + START_SECONDS * 1000;
  while (!(await answers(address))) {
    if (ended || Date.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`${command} ${args.join(' ')} did not start`);
    }
    await delay(100);
  }
  return child;
}

async function answers(address: string): Promise<boolean> {
  try {
    const answer = await fetch(address, { method: 'DELETE', signal: AbortSignal.timeout(2000) });
    await answer.arrayBuffer();
    return true;
  } catch {
    return false;
  }
}
