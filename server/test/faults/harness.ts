/** The tools of every fault test: a server process, a count that fits the run, and a place for its figures. */
import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { program } from '../support/bundle.ts';
import { freePort } from '../support/free-port.ts';
import { until } from '../support/until.ts';

const repository = join(import.meta.dirname, '..', '..', '..');
const READY_SECONDS = 60;
const HOST_SECONDS = 120;

/** One line for each figure of a run, as JSON. */
export const figuresFile = join(repository, '.work', 'faults', 'figures.jsonl');

export interface Figure {
  /** Number of the test in `docs/reliability.md`. */
  readonly test: string;
  readonly name: string;
  /** With its unit. */
  readonly value: string;
  readonly limit?: string;
}

/** Environment of a server whose `longestTurn` a test reads. */
export const watchTurns = { NODE_OPTIONS: `--import=${join(import.meta.dirname, 'watch-turns.mjs')}` };

/** True when the run has the full counts of `docs/reliability.md`. */
export const full = process.env['SIGNALBOX_TEST_FAULTS'] === 'full';

/** The number of repetitions: fewer in a reduced run. */
export function count(reduced: number, inFull: number): number {
  return full ? inFull : reduced;
}

/** Stores a measured figure; `run.ts` prints all figures at its end. */
export function report(figure: Figure): void {
  mkdirSync(dirname(figuresFile), { recursive: true });
  appendFileSync(figuresFile, `${JSON.stringify(figure)}\n`);
}

export interface ServerOptions {
  /** Further environment variables of the server. */
  readonly environment?: Readonly<Record<string, string>>;
  /** `postgres://…`; an SQLite file in its own folder when it is absent. */
  readonly databaseUrl?: string;
  /** Folder of the server; when it is absent, a new one that `dispose` removes. */
  readonly home?: string;
}

/** A real server process that a test can kill, freeze, start again and measure. */
export class FaultServer {
  readonly port: number;
  readonly home: string;
  readonly #options: ServerOptions;
  #child: ChildProcess | undefined;
  #output = '';
  /** Processes that the server had when it was ended. */
  readonly #children: number[] = [];

  private constructor(port: number, home: string, options: ServerOptions) {
    this.port = port;
    this.home = home;
    this.#options = options;
  }

  /** Resolves when the server answers. Throws with its output when it does not. */
  static async start(options: ServerOptions = {}): Promise<FaultServer> {
    const home = options.home ?? (await mkdtemp(join(tmpdir(), 'signalbox-fault-')));
    const server = new FaultServer(await freePort(), home, options);
    await server.start();
    return server;
  }

  /** `http://127.0.0.1:<port>` */
  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get api(): string {
    return `${this.origin}/api`;
  }

  get pid(): number {
    if (this.#child?.pid === undefined) throw new Error('The server does not run.');
    return this.#child.pid;
  }

  /** False once the process has ended, for any reason. */
  get running(): boolean {
    return this.#child !== undefined;
  }

  /** Everything that the server has printed since the test created it. */
  get output(): string {
    return this.#output;
  }

  async start(): Promise<void> {
    const child = spawn(process.execPath, [program, 'server', 'start'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...ownEnvironment(),
        SIGNALBOX_PORT: String(this.port),
        SIGNALBOX_HOME: this.home,
        ...(this.#options.databaseUrl ? { SIGNALBOX_DATABASE_URL: this.#options.databaseUrl } : {}),
        ...this.#options.environment,
      },
    });
    this.#child = child;
    child.stdout.on('data', (chunk: Buffer) => (this.#output += chunk));
    child.stderr.on('data', (chunk: Buffer) => (this.#output += chunk));
    child.once('exit', () => {
      if (this.#child === child) this.#child = undefined;
    });
    const deadline = Date.now() + READY_SECONDS * 1000;
    while (!(await this.#answers())) {
      if (!this.#child || Date.now() > deadline) throw new Error(`The server did not start:\n${this.#output}`);
      await delay(25);
    }
  }

  /** Sends the signal and resolves when the process has ended. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const child = this.#child;
    if (!child) return;
    this.#children.push(...childrenOf(this.pid));
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }

  /** Stops the process until `thaw`. */
  freeze(): void {
    process.kill(this.pid, 'SIGSTOP');
  }

  thaw(): void {
    process.kill(this.pid, 'SIGCONT');
  }

  /**
   * Processor time of the longest turn of the event loop since the last call, in milliseconds. The server must have been
   * started with `watchTurns`.
   */
  async longestTurn(): Promise<number> {
    const from = this.#output.length;
    process.kill(this.pid, 'SIGUSR2');
    const line = await until(
      'the longest turn',
      () => /"longestTurnMilliseconds":([\d.]+)/.exec(this.#output.slice(from)) ?? undefined,
    );
    return Number(line[1]);
  }

  /** Resident memory in megabytes (Linux). */
  memoryMegabytes(): number {
    const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  }

  /** Number of open files and connections (Linux). */
  openHandles(): number {
    return readdirSync(`/proc/${this.pid}/fd`).length;
  }

  /** Kills the process, waits for its host of programs, and removes its folder, unless the test gave it one. */
  async dispose(): Promise<void> {
    await this.end('SIGKILL');
    // The host of programs ends after its server, and clears its folders until then.
    const isRunning = (pid: number) => existsSync(`/proc/${pid}`);
    await until('the hosts of programs have ended', () => !this.#children.some(isRunning), HOST_SECONDS);
    if (this.#options.home === undefined) await rm(this.home, { recursive: true, force: true });
  }

  async #answers(): Promise<boolean> {
    return fetch(`${this.api}/health`, { signal: AbortSignal.timeout(2000) }).then(
      (answer) => answer.ok,
      () => false,
    );
  }
}

export interface EndedProgram {
  readonly code: number | null;
  readonly stdout: string;
  /** Its output on both streams, in order. */
  readonly output: string;
  readonly seconds: number;
}

/** Runs a command of the program to its end, on a free port if it listens. */
export async function runProgram(
  words: readonly string[],
  { home, databaseUrl = '', environment }: ServerOptions & { readonly home: string },
): Promise<EndedProgram> {
  const began = performance.now();
  const child = spawn(process.execPath, [program, ...words], {
    env: {
      ...ownEnvironment(),
      ...environment,
      SIGNALBOX_HOME: home,
      SIGNALBOX_PORT: String(await freePort()),
      SIGNALBOX_DATABASE_URL: databaseUrl,
    },
  });
  let stdout = '';
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk;
    output += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => (output += chunk));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, stdout, output, seconds: (performance.now() - began) / 1000 };
}

/** Sends `body` as JSON, unless it is undefined, and reads the whole answer. */
export async function sendJson(
  method: string,
  url: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly text: string }> {
  const answer = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, text: await answer.text() };
}

/** The value that 99 of 100 values do not exceed; 0 without values. */
export function p99(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.ceil(values.length * 0.99) - 1] ?? 0;
}

/** The environment without the settings of the tests: an unknown setting stops a server. */
export function ownEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^SIGNALBOX_(FAULTS|TEST_)/.test(name)));
}

/** Measures the largest growth of the server's memory until it is stopped, in megabytes. */
export function watchMemory(server: FaultServer, everyMilliseconds = 20) {
  const before = server.memoryMegabytes();
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, server.memoryMegabytes())), everyMilliseconds);
  return {
    stop(): number {
      clearInterval(timer);
      return Math.max(most, server.memoryMegabytes()) - before;
    },
  };
}

export interface Delays {
  readonly longestMilliseconds: number;
  /** 99 of 100 requests waited no longer. */
  readonly p99Milliseconds: number;
  readonly statuses: ReadonlyMap<number, number>;
}

/**
 * Requests `url` every `everyMilliseconds` until stopped, as another tenant would, and returns the longest wait: the
 * cost of an attack to other tenants.
 */
export function watchDelay(url: string, headers: Record<string, string> = {}, everyMilliseconds = 20) {
  let longestMilliseconds = 0;
  const waits: number[] = [];
  let stopped = false;
  const statuses = new Map<number, number>();
  const watching = (async () => {
    while (!stopped) {
      const began = performance.now();
      const status = await fetch(url, { headers }).then(
        async (answer) => {
          await answer.arrayBuffer();
          return answer.status;
        },
        () => 0,
      );
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      waits.push(performance.now() - began);
      longestMilliseconds = Math.max(longestMilliseconds, performance.now() - began);
      await delay(everyMilliseconds);
    }
  })();
  return {
    async stop(): Promise<Delays> {
      stopped = true;
      await watching;
      return { longestMilliseconds, p99Milliseconds: p99(waits), statuses };
    },
  };
}

/** Processes that another one has started (Linux). */
function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      try {
        return pid > 0 && readFileSync(`/proc/${pid}/status`, 'utf8').includes(`PPid:\t${parent}\n`);
      } catch {
        return false;
      }
    });
}
