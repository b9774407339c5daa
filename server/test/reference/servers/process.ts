import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

export interface RunningServer {
  /** The API base, ending in `/api`. */
  readonly url: string;
  stop(): Promise<void>;
}

export interface Launch {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly port: number;
  /** The file for the output; its end is in the error when the server does not start. */
  readonly log: string;
}

const START_SECONDS = 120;
const STOP_SECONDS = 10;

/** Starts a server and resolves when its `/health` answers. Throws when it exits or stays silent before that. */
export async function launch({ name, command, args, cwd, env, port, log }: Launch): Promise<RunningServer> {
  const output = openSync(log, 'w');
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', output, output], detached: true });
  closeSync(output);
  const failed = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(`it ended with ${signal ?? `code ${code}`}`));
  });
  let end: string | undefined;
  void failed.then((reason) => {
    end = reason;
  });
  const url = `http://127.0.0.1:${port}/api`;
  for (const deadline = Date.now() + START_SECONDS * 1000; Date.now() < deadline; await delay(200)) {
    if (end !== undefined) throw new Error(`The ${name} did not start: ${end}.\n${lastLines(log)}`);
    if (await isHealthy(url)) return { url, stop: () => stop(child, failed) };
  }
  await stop(child, failed);
  throw new Error(`The ${name} did not answer within ${START_SECONDS} s.\n${lastLines(log)}`);
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/health`)).ok;
  } catch {
    return false;
  }
}

/** The whole process group, because the reference starts a child process. */
async function stop(child: ChildProcess, ended: Promise<string>): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  signal(child.pid, 'SIGTERM');
  const inTime = await Promise.race([ended.then(() => true), delay(STOP_SECONDS * 1000, false)]);
  if (!inTime) signal(child.pid, 'SIGKILL');
}

function signal(group: number, name: NodeJS.Signals): void {
  try {
    process.kill(-group, name);
  } catch {
    // The group has already exited.
  }
}

function lastLines(log: string): string {
  return readFileSync(log, 'utf8').trimEnd().split('\n').slice(-20).join('\n');
}

/** The caller's environment without settings of either server, plus `added`. */
export function cleanEnvironment(added: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(SIGNALBOX_|PREFECT_)/.test(name));
  return { ...Object.fromEntries(kept), ...added };
}
