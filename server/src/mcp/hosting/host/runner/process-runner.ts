/**
 * Runs processes on this machine, in a sandbox or without, each with its descendants as a tree that ends as a whole.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { resolve } from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import { newId } from '../../../../values/id.ts';
import { attempt, guarded, inBackground } from '../../../../watching/background.ts';
import type { Enclosure, Enclosures } from '../limits/enclosure.ts';
import { diskUseOf } from '../machine/disk-use.ts';
import { putBehind } from '../machine/priority.ts';
import {
  factsOf,
  ProcessTable,
  processorTicksOf,
  residentMemoryOf,
  sharedMemoryOf,
  signal,
  signalGroup,
  TOKEN_VARIABLE,
} from '../machine/process-tree.ts';
import { programOnPath } from './bubblewrap.ts';
import { Orphans } from './orphans.ts';
import type { ProcessEnd, ProcessSpec, Runner, RunningProcess } from './runner.ts';

/** Interval of measuring memory, and number of measurements between searches for new children. */
const WATCH_MILLISECONDS = 100;
const SCAN_EVERY = 5;
/**
 * Shortest and longest interval of measuring a program's folders; the longest is for an idle program. One program is
 * measured at a time, with a pause as long as the measurement, so that measuring takes at most half of a processor.
 */
const MEASURE_MILLISECONDS = 2000;
const MEASURE_IDLE_MILLISECONDS = 30_000;
/** Shortest interval of measuring shared memory exactly. */
const CLOSER_LOOK_MILLISECONDS = 300;
/** Processes in one tree; more count as a fork bomb. */
const MAX_TREE = 128;
/** The program that starts a sandbox, and stays beside the program in it. */
const HOLDER = 'bwrap';
/** Limit of processes and threads, if the kernel counts them. */
const MAX_TASKS = 1024;
/** Processes and threads that start and hold a program. */
const HOLDERS_TASKS = 64;
/** Time for which output is read after the end of the last process that could write any. */
const OUTPUT_MILLISECONDS = 500;
/** A higher exit status means a signal, if the holder of the program reports its end. */
const SIGNALED = 128;
const BYTES_PER_MEGABYTE = 1_048_576;

/** Starts a program as a process. */
export interface Launcher {
  /** The process leads a group of its own and has the token in its environment. */
  spawn(spec: ProcessSpec, token: string, start: ProgramStart): LaunchedProcess;
  /** True when that process only holds the program: it ends when the program has ended, and ends all descendants. */
  readonly holdsProgram: boolean;
  readonly isolatesNetwork: boolean;
  /** See `Runner.userOf`. */
  userOf(serverId: string): number | undefined;
}

/** The hooks of a launcher for the kernel's limits. */
export interface ProgramStart {
  /** Called when all processes that hold the program run, but not yet the program. */
  ready(): void;
  readonly enclosure: Enclosure | undefined;
}

interface LaunchedProcess {
  readonly child: ChildProcess;
  readonly entrance: RunningProcess['entrance'];
  /** Releases the resources of this process. */
  close(): void;
}

/** Runs programs with the rights of this server. */
const directly: Launcher = {
  holdsProgram: false,
  isolatesNetwork: false,
  userOf: () => undefined,
  spawn: ({ command, directory, environment, input }, token, { enclosure }) => {
    // A missing program is started without the words of the enclosure, so that the system's error names it.
    const entering = enclosure && exists(command[0] ?? '', directory, environment) ? enclosure.entering() : [];
    const [program = '', ...rest] = [...entering, ...command];
    const child = spawn(program, rest, {
      cwd: directory,
      env: { ...environment, [TOKEN_VARIABLE]: token },
      detached: true,
      windowsHide: true,
      stdio: [input ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    });
    return { child, entrance: Promise.resolve(undefined), close() {} };
  },
};

export class ProcessRunner implements Runner {
  readonly #table = new ProcessTable();
  readonly #running = new Set<Tree>();
  readonly #orphans: Orphans;
  readonly #launcher: Launcher;
  readonly #enclosures: Enclosures | undefined;
  #watch: NodeJS.Timeout | undefined;
  #looks = 0;
  #isMeasuring = false;
  #measuresAgainAt = 0;

  /** `folder` contains the records of running processes, so that the next server can end those that this one left. */
  constructor(folder: string, launcher: Launcher = directly, enclosures?: Enclosures) {
    this.#launcher = launcher;
    this.#enclosures = enclosures;
    this.#orphans = new Orphans(folder);
    this.#orphans.endAll();
    enclosures?.endLeft();
  }

  get isolatesNetwork(): boolean {
    return this.#launcher.isolatesNetwork;
  }

  userOf(serverId: string): number | undefined {
    return this.#launcher.userOf(serverId);
  }

  start(spec: ProcessSpec): RunningProcess {
    const token = newId();
    this.#orphans.note(token);
    const tree = new Tree(spec, token, this.#table, this.#launcher, this.#enclosures);
    this.#running.add(tree);
    inBackground('the end of a process', async () => {
      await tree.ended;
      this.#running.delete(tree);
      this.#orphans.forget(token);
      if (this.#running.size > 0) return;
      clearInterval(this.#watch);
      this.#watch = undefined;
    });
    this.#watch ??= setInterval(
      guarded('a check of processes', () => this.#look()),
      WATCH_MILLISECONDS,
    ).unref();
    return tree;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#running].map((tree) => tree.stop(0, 'this server stops')));
    this.#enclosures?.close();
  }

  #look(): void {
    this.#looks++;
    const members = this.#looks % SCAN_EVERY === 0 ? this.#table.scan() : undefined;
    for (const tree of this.#running) {
      if (members) tree.count(members.get(tree.token) ?? []);
      const unmeasured = () => tree.kill('it could not be measured');
      inBackground('the weighing of a process', () => tree.weigh(), unmeasured);
    }
    this.#measureNext();
  }

  /** Measures the program that has waited longest for it. */
  #measureNext(): void {
    const now = performance.now();
    if (this.#isMeasuring || now < this.#measuresAgainAt) return;
    const [next] = [...this.#running]
      .filter((tree) => tree.isUnmeasured(now))
      .sort((one, other) => one.measuredAt - other.measuredAt);
    if (!next) return;
    this.#isMeasuring = true;
    const measured = () =>
      next.measure().finally(() => {
        this.#isMeasuring = false;
        this.#measuresAgainAt = 2 * performance.now() - now;
      });
    inBackground('the measuring of folders', measured, () => next.kill('it could not be measured'));
  }
}

class Tree implements RunningProcess {
  readonly token: string;
  readonly stdin: ChildProcess['stdin'];
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly ended: Promise<ProcessEnd>;
  readonly #spec: ProcessSpec;
  readonly #launched: LaunchedProcess;
  readonly #child: ChildProcess;
  readonly #table: ProcessTable;
  readonly #holdsProgram: boolean;
  readonly #enclosure: Enclosure | undefined;
  #members: readonly number[] = [];
  /** The memory of the program's holder, which does not count. */
  #heldBytes = 0;
  #bytes = 0;
  /** Time of the last measurement, by `performance.now()`. */
  measuredAt = performance.now();
  #measuredTicks = 0;
  #weighedAt = 0;
  #reason: string | undefined;
  #isKilled = false;

  constructor(spec: ProcessSpec, token: string, table: ProcessTable, launcher: Launcher, enclosures?: Enclosures) {
    this.token = token;
    this.#table = table;
    this.#holdsProgram = launcher.holdsProgram;
    this.#spec = spec;
    this.#enclosure = enclosures?.make(token, {
      memoryBytes: spec.memoryMegabytes * BYTES_PER_MEGABYTE,
      tasks: MAX_TASKS + HOLDERS_TASKS,
    });
    const ready = () => this.#enclose(launcher.isolatesNetwork);
    this.#launched = launcher.spawn(spec, token, { ready, enclosure: this.#enclosure });
    this.#child = this.#launched.child;
    const { pid, stdin, stdout, stderr } = this.#child;
    if (pid !== undefined) {
      table.add(pid, token);
      if (!launcher.holdsProgram) putBehind(pid);
      this.#members = [pid];
    }
    this.stdin = pid === undefined ? null : stdin;
    // A writer learns of the end from `ended`.
    stdin?.on('error', () => {});
    this.stdout = stdout ?? new PassThrough().end();
    this.stderr = stderr ?? new PassThrough().end();
    this.ended = this.#end();
  }

  async #end(): Promise<ProcessEnd> {
    const end = await new Promise<ProcessEnd>((resolve) => {
      this.#child.once('error', (error: NodeJS.ErrnoException) => {
        if (this.#child.pid === undefined) resolve({ reason: startProblem(error), code: null });
      });
      const exited = (code: number | null, signal: NodeJS.Signals | null) =>
        resolve({ reason: this.#reasonOf(code, signal), code });
      const unknown = () => resolve({ reason: 'ended', code: null });
      this.#child.once('exit', guarded('the exit of a process', exited, unknown));
    });
    await attempt('the end of a process tree', () => this.#endRest());
    this.#enclosure?.remove();
    await attempt('the end of the output of a process', () => this.#outputEnded());
    await attempt('the close of the ways of a process', () => this.#launched.close());
    return end;
  }

  #reasonOf(code: number | null, given: NodeJS.Signals | null): string {
    const ended = given ?? this.#signalOf(code);
    // The kernel may have killed it before it was measured.
    const exceeded = ended === 'SIGKILL' ? this.#enclosure?.exceeded() : undefined;
    return this.#reason ?? (exceeded === undefined ? endOf(code, ended) : `killed: ${exceeded}`);
  }

  async #endRest(): Promise<void> {
    const { pid } = this.#child;
    if (pid === undefined) return;
    this.#enclosure?.kill();
    await this.#table.killAll(pid, this.token);
    this.#table.remove(pid);
  }

  /** The holder of a program reports its signal like a shell. */
  #signalOf(code: number | null): string | undefined {
    if (!this.#holdsProgram || code === null || code <= SIGNALED) return undefined;
    return Object.entries(constants.signals).find(([, number]) => number === code - SIGNALED)?.[0];
  }

  /** Does not wait for processes outside of the tree that still hold the pipes. */
  async #outputEnded(): Promise<void> {
    const streams = [this.stdout, this.stderr].filter((stream) => !stream.readableEnded && !stream.destroyed);
    const all = Promise.all(streams.map((stream) => new Promise((resolve) => stream.once('close', resolve))));
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise((resolve) => {
      timer = setTimeout(resolve, OUTPUT_MILLISECONDS);
    });
    await Promise.race([all, limit]);
    clearTimeout(timer);
    for (const stream of streams) stream.destroy();
  }

  get entrance(): RunningProcess['entrance'] {
    return this.#launched.entrance;
  }

  #enclose(isolatesNetwork: boolean): void {
    this.#members = this.#table.scan().get(this.token) ?? [];
    this.#enclosure?.add(this.#members);
    for (const pid of this.#members) putBehind(pid);
    // The launcher stays beside a program that listens in a network of its own.
    if (isolatesNetwork && this.#spec.serves) this.#heldBytes = residentMemoryOf(this.#members);
  }

  /** `members` are the processes of this tree that were just found. */
  count(members: readonly number[]): void {
    const known = new Set(this.#members);
    // It may have started a session of its own.
    for (const pid of members) if (!known.has(pid)) putBehind(pid);
    this.#members = members;
    if (members.length > MAX_TREE) this.kill(`it started more than ${MAX_TREE} processes`);
  }

  weigh(): void {
    const exceeded = this.#enclosure?.exceeded();
    if (exceeded !== undefined) this.kill(exceeded);
    else if (this.#enclosure) this.#bytes = this.#enclosure.memoryBytes();
    else this.#weighByLooking();
  }

  /** The sum of resident memory counts shared pages several times, so it only triggers an exact measurement. */
  #weighByLooking(): void {
    const { memoryMegabytes } = this.#spec;
    const limit = memoryMegabytes * BYTES_PER_MEGABYTE;
    this.#bytes = Math.max(0, residentMemoryOf(this.#members) - this.#heldBytes);
    if (this.#bytes <= limit || performance.now() - this.#weighedAt < CLOSER_LOOK_MILLISECONDS) return;
    this.#weighedAt = performance.now();
    this.#bytes = Math.max(0, sharedMemoryOf(this.#members) - this.#heldBytes);
    if (this.#bytes > limit) this.kill(`it used more than ${memoryMegabytes} MB of memory`);
  }

  /** True if its folders may have changed since the last measurement, and that was some time ago. */
  isUnmeasured(now: number): boolean {
    // Without a sandbox, a program may write wherever the server may.
    if (!this.#holdsProgram || now - this.measuredAt < MEASURE_MILLISECONDS) return false;
    return (
      now - this.measuredAt >= MEASURE_IDLE_MILLISECONDS || processorTicksOf(this.#members) !== this.#measuredTicks
    );
  }

  async measure(): Promise<void> {
    this.measuredAt = performance.now();
    this.#measuredTicks = processorTicksOf(this.#members);
    const { files, diskMegabytes, maxFiles } = this.#spec;
    const use = await diskUseOf([...files.writable, files.temporary], this.#members, this.#enclosure !== undefined);
    if (use === undefined) this.kill('the files in its folders cannot be counted');
    else if (use.bytes > diskMegabytes * BYTES_PER_MEGABYTE) {
      this.kill(`it stored more than ${diskMegabytes} MB in its folders`);
    } else if (use.files > maxFiles) this.kill(`it stored more than ${maxFiles} files and folders`);
  }

  kill(reason: string): void {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    if (this.#isKilled) return;
    this.#isKilled = true;
    this.#reason = `killed: ${reason}`;
    this.#enclosure?.kill();
    if (this.#child.pid !== undefined) signalGroup(this.#child.pid, 'SIGKILL');
  }

  async stop(graceSeconds: number, reason: string): Promise<ProcessEnd> {
    const { pid } = this.#child;
    if (pid === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null) return this.ended;
    this.#reason ??= `stopped: ${reason}`;
    if (graceSeconds <= 0) {
      this.kill(reason);
      return this.ended;
    }
    this.#ask(pid);
    const timer = setTimeout(
      () => this.kill(`it did not end within ${graceSeconds} s (${reason})`),
      graceSeconds * 1000,
    );
    const end = await this.ended;
    clearTimeout(timer);
    return end;
  }

  /** Signals the program instead of its nested holders: a holder would end at once and take the program with it. */
  #ask(pid: number): void {
    if (!this.#holdsProgram) {
      signalGroup(pid, 'SIGTERM');
      return;
    }
    const isHolder = (member: number) => member === pid || factsOf(member)?.name === HOLDER;
    for (const member of this.#table.scan().get(this.token) ?? []) if (!isHolder(member)) signal(member, 'SIGTERM');
  }

  memoryBytes(): number {
    return this.#bytes;
  }
}

/** True if the program exists. */
function exists(name: string, directory: string, { PATH = '' }: Readonly<Record<string, string>>): boolean {
  const place = name.includes('/') ? resolve(directory, name) : programOnPath(name, PATH);
  return place !== undefined && existsSync(place) && existsSync(directory);
}

function endOf(code: number | null, signal: string | undefined): string {
  return signal === undefined ? `exited with status ${code}` : `ended by ${signal}`;
}

function startProblem({ code }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return 'could not be started: the program or its working directory does not exist';
  if (code === 'EACCES') return 'could not be started: the program may not be executed';
  return `could not be started (${code ?? 'unknown reason'})`;
}
