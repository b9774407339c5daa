import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { program } from '../support/bundle.ts';
import { freePort } from '../support/free-port.ts';
import { type RoundRobin, startRoundRobin } from '../support/round-robin.ts';
import { cleanEnvironment } from './environment.ts';
import type { ServerKind } from './options.ts';

const run = promisify(execFile);
const repository = join(import.meta.dirname, '..', '..', '..');

/** Limits for a server's first answer after its start, and for its exit after SIGTERM. */
const patienceSeconds = { start: 240, stop: 90 };

export interface ServerOptions {
  kind: ServerKind;
  /** Folder of this server alone: its data folder and its log. */
  folder: string;
  /** `postgres://…`, or undefined for an SQLite file in `folder`. */
  postgresUrl: string | undefined;
  /** Settings of Signalbox that differ from the defaults. */
  settings?: Record<string, string>;
  /** Runs the reference server. */
  python: string;
  /** Servers on one PostgreSQL database, behind a proxy that gives each request to the next one; 1 by default. */
  replicas?: number;
}

/** A server process that can be stopped and restarted with the same port, data folder and database. */
export class ServerProcess {
  readonly #options: ServerOptions;
  readonly #port: number;
  /** The other servers, and the proxy before all. */
  #others: ServerProcess[] = [];
  #proxy: RoundRobin | undefined;
  #proxyPort = 0;
  #child: ChildProcess | undefined;

  private constructor(options: ServerOptions, port: number) {
    this.#options = options;
    this.#port = port;
  }

  /** Starts a server on a free port and returns when it answers. Throws with the end of its log when it does not. */
  static async start(options: ServerOptions): Promise<ServerProcess> {
    const server = new ServerProcess(options, await freePort());
    await mkdir(options.folder, { recursive: true });
    await server.start();
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#proxyPort || this.#port}/api`;
  }

  async #startOthers(): Promise<void> {
    const { replicas = 1, ...options } = this.#options;
    if (replicas === 1) return;
    for (const other of this.#others) await other.start();
    while (this.#others.length < replicas - 1) this.#others.push(await ServerProcess.start(options));
    this.#proxyPort ||= await freePort();
    this.#proxy ??= await startRoundRobin(
      this.#proxyPort,
      [this, ...this.#others].map((server) => server.#port),
    );
  }

  async start(): Promise<void> {
    await this.#startOne();
    await this.#startOthers();
  }

  async #startOne(): Promise<void> {
    if (this.#child) return;
    const { command, args, environment } = this.#commandLine();
    const log = openSync(this.#logFile, 'a');
    // A process group of its own: Ctrl-C in the terminal reaches the runner only, which stops things in order.
    const child = spawn(command, args, {
      cwd: repository,
      env: cleanEnvironment(environment),
      stdio: ['ignore', log, log],
      detached: true,
    });
    closeSync(log);
    this.#child = child;
    let failure: string | undefined;
    child.once('error', (cause) => (failure = cause.message));
    child.once('close', (code, signal) => {
      failure ??= `it ended with ${signal ?? `exit code ${code}`}`;
      if (this.#child === child) this.#child = undefined;
    });

    const deadline = Date.now() + patienceSeconds.start * 1000;
    while (!(await this.#answers())) {
      if (!failure && Date.now() < deadline) {
        await delay(50);
        continue;
      }
      await this.stop('SIGKILL');
      throw new Error(`the server did not start: ${failure ?? 'no answer in time'}\n${await this.logTail()}`);
    }
  }

  /**
   * Stops the server with `signal` and returns when its process has exited; does nothing when it has already exited.
   * Throws when it ignores SIGTERM for too long (and kills it).
   */
  async stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    this.#proxy?.close();
    this.#proxy = undefined;
    for (const other of this.#others) await other.stop(signal);
    const child = this.#child;
    if (!child?.pid) return;
    const ended = new Promise<boolean>((resolve) => child.once('close', () => resolve(true)));
    // Killing takes the whole group along, so that no part of the server survives what a user would call a crash.
    if (signal === 'SIGKILL') process.kill(-child.pid, signal);
    else child.kill(signal);
    const timeout = delay(patienceSeconds.stop * 1000, false, { ref: false });
    if (await Promise.race([ended, timeout])) return;
    process.kill(-child.pid, 'SIGKILL');
    await ended;
    throw new Error(`the server did not end within ${patienceSeconds.stop} s after ${signal}`);
  }

  /** Runs a command of Signalbox on this server's data and returns its output. Throws when it fails. */
  async operate(args: readonly string[]): Promise<string> {
    const { command, environment } = this.#commandLine();
    const { stdout } = await run(command, [program, ...args], {
      cwd: repository,
      env: cleanEnvironment(environment),
    });
    return stdout;
  }

  /** The last lines that the server wrote. */
  async logTail(lines = 40): Promise<string> {
    const text = await readFile(this.#logFile, 'utf8').catch(() => '');
    return text.trimEnd().split('\n').slice(-lines).join('\n');
  }

  get #logFile(): string {
    return join(this.#options.folder, 'server.log');
  }

  #commandLine(): { command: string; args: string[]; environment: Record<string, string> } {
    const { kind, folder, postgresUrl, settings, python } = this.#options;
    const home = join(folder, 'home');
    if (kind === 'signalbox') {
      return {
        command: process.execPath,
        args: [program, 'server', 'start'],
        environment: {
          SIGNALBOX_PORT: String(this.#port),
          SIGNALBOX_HOME: home,
          // The services that the suites let it call run on this machine.
          SIGNALBOX_ALLOWED_PRIVATE_NETWORKS: '127.0.0.0/8, ::1',
          SIGNALBOX_DATABASE_URL: postgresUrl ?? `sqlite:${join(folder, 'signalbox.db')}`,
          ...settings,
        },
      };
    }
    return {
      command: python,
      args: ['-m', 'prefect', 'server', 'start', '--host', '127.0.0.1', '--port', String(this.#port)],
      environment: {
        PREFECT_HOME: home,
        PYTHONDONTWRITEBYTECODE: '1',
        ...(postgresUrl && {
          PREFECT_API_DATABASE_CONNECTION_URL: postgresUrl.replace(/^postgres(ql)?:/, 'postgresql+asyncpg:'),
        }),
      },
    };
  }

  async #answers(): Promise<boolean> {
    try {
      const answer = await fetch(`http://127.0.0.1:${this.#port}/api/health`, { signal: AbortSignal.timeout(2000) });
      await answer.arrayBuffer();
      return answer.ok;
    } catch {
      return false;
    }
  }
}
