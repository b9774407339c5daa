/** Runs processes on this machine, each with all that it starts in a tree that ends as a whole. */
import { type ChildProcess, spawn } from 'node:child_process';
import { PassThrough, type Readable } from 'node:stream';
import { newId } from '../id.ts';
import { Orphans } from './orphans.ts';
import { memoryOf, ProcessTable, signalGroup, TOKEN_VARIABLE } from './process-tree.ts';
import type { ProcessEnd, ProcessSpec, Runner, RunningProcess } from './runner.ts';

/** How often memory and children are looked at. */
const WATCH_MILLISECONDS = 500;
/** Processes in one tree; more is a fork bomb. */
const MAX_TREE = 128;
/** How long output is still read after the last process that could write any. */
const OUTPUT_MILLISECONDS = 500;
const BYTES_PER_MEGABYTE = 1_048_576;

export class ProcessRunner implements Runner {
  readonly #table = new ProcessTable();
  readonly #running = new Set<Tree>();
  readonly #orphans: Orphans;
  #watch: NodeJS.Timeout | undefined;

  /** `folder` is where it writes down what runs, so that the next server can end what this one left. */
  constructor(folder: string) {
    this.#orphans = new Orphans(folder);
    this.#orphans.endAll();
  }

  start(spec: ProcessSpec): RunningProcess {
    const token = newId();
    this.#orphans.note(token);
    const tree = new Tree(spec, token, this.#table);
    this.#running.add(tree);
    void tree.ended.then(() => {
      this.#running.delete(tree);
      this.#orphans.forget(token);
      if (this.#running.size > 0) return;
      clearInterval(this.#watch);
      this.#watch = undefined;
    });
    this.#watch ??= setInterval(() => this.#look(), WATCH_MILLISECONDS).unref();
    return tree;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#running].map((tree) => tree.stop(0, 'this server stops')));
  }

  #look(): void {
    const members = this.#table.scan();
    for (const tree of this.#running) tree.look(members.get(tree.token) ?? []);
  }
}

class Tree implements RunningProcess {
  readonly token: string;
  readonly stdin: ChildProcess['stdin'];
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly ended: Promise<ProcessEnd>;
  readonly #child: ChildProcess;
  readonly #table: ProcessTable;
  readonly #maxBytes: number;
  #bytes = 0;
  #reason: string | undefined;

  constructor(spec: ProcessSpec, token: string, table: ProcessTable) {
    this.token = token;
    this.#table = table;
    this.#maxBytes = spec.memoryMegabytes * BYTES_PER_MEGABYTE;
    const [program = '', ...rest] = spec.command;
    this.#child = spawn(program, rest, {
      cwd: spec.directory,
      env: { ...spec.environment, [TOKEN_VARIABLE]: token },
      detached: true,
      windowsHide: true,
      stdio: [spec.input ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    });
    const { pid, stdin, stdout, stderr } = this.#child;
    if (pid !== undefined) table.add(pid, token);
    this.stdin = pid === undefined ? null : stdin;
    // Who writes to a process that has ended learns it from `ended`.
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
      this.#child.once('exit', (code, signal) =>
        resolve({ reason: this.#reason ?? (signal ? `ended by ${signal}` : `exited with status ${code}`), code }),
      );
    });
    const { pid } = this.#child;
    if (pid !== undefined) {
      await this.#table.killAll(pid, this.token);
      this.#table.remove(pid);
    }
    await this.#outputEnded();
    return end;
  }

  /** Whoever still holds the pipes is outside of the tree, and is not waited for. */
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

  /** `members` are the processes of this tree as they were found a moment ago. */
  look(members: readonly number[]): void {
    this.#bytes = memoryOf(members);
    if (this.#bytes > this.#maxBytes) {
      this.#kill(`it used more than ${this.#maxBytes / BYTES_PER_MEGABYTE} MB of memory`);
    } else if (members.length > MAX_TREE) {
      this.#kill(`it started more than ${MAX_TREE} processes`);
    }
  }

  #kill(reason: string): void {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#reason = `killed: ${reason}`;
    if (this.#child.pid !== undefined) signalGroup(this.#child.pid, 'SIGKILL');
  }

  async stop(graceSeconds: number, reason: string): Promise<ProcessEnd> {
    const { pid } = this.#child;
    if (pid === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null) return this.ended;
    this.#reason ??= `stopped: ${reason}`;
    if (graceSeconds <= 0) {
      this.#kill(reason);
      return this.ended;
    }
    signalGroup(pid, 'SIGTERM');
    const timer = setTimeout(
      () => this.#kill(`it did not end within ${graceSeconds} s of being asked to (${reason})`),
      graceSeconds * 1000,
    );
    const end = await this.ended;
    clearTimeout(timer);
    return end;
  }

  memoryBytes(): number {
    return this.#bytes;
  }
}

function startProblem({ code }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return 'could not be started: the program or its working directory does not exist';
  if (code === 'EACCES') return 'could not be started: the program may not be executed';
  return `could not be started (${code ?? 'unknown reason'})`;
}
