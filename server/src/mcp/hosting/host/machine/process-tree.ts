/**
 * Which processes belong to one that was started here, found by a token in their environment, by their session and group,
 * and by their parents: a child that leaves its group or its session is still found. Linux only (`/proc`); elsewhere a
 * tree is its process group.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

/** The variable that marks a process and what it starts. */
export const TOKEN_VARIABLE = 'SIGNALBOX_PROCESS';

const PAGE_BYTES = 4096;

interface Seen {
  /** Undefined for a process that this server did not start. */
  readonly token: string | undefined;
}

/** The content of `/proc/<pid>/stat`; undefined when the process is gone. */
interface ProcessFacts {
  /** Of the program, as it may have named itself. */
  readonly name: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** In clock ticks since the machine started; with the id it names a process for good. */
  readonly startTime: string;
  /** Its own processor time and that of its ended children, in clock ticks. */
  readonly processorTicks: number;
  /** It waits for its parent to notice that it has ended: it holds no file, lock or port any more. */
  readonly zombie: boolean;
  /** It runs no more code: a zombie, or the kernel has begun to take it down. */
  readonly ended: boolean;
}

export class ProcessTable {
  readonly #leaders = new Map<number, string>();
  readonly #seen = new Map<number, Seen>();

  /** `leader` began a group of its own and carries the token. */
  add(leader: number, token: string): void {
    this.#leaders.set(leader, token);
    this.#seen.set(leader, { token });
    try {
      // When memory runs out, the machine ends these before anything else.
      writeFileSync(`/proc/${leader}/oom_score_adj`, '1000');
    } catch {
      // Not Linux, or already gone.
    }
  }

  remove(leader: number): void {
    this.#leaders.delete(leader);
  }

  /** Looks at what has been started since the last time. Costs one directory and a file for each new process. */
  scan(): Map<string, number[]> {
    const alive = processIds();
    for (const pid of this.#seen.keys()) if (!alive.has(pid)) this.#seen.delete(pid);
    for (const pid of alive) if (!this.#seen.has(pid)) this.#seen.set(pid, { token: this.#tokenOf(pid) });
    const members = new Map<string, number[]>();
    for (const [pid, { token }] of this.#seen) {
      if (token === undefined) continue;
      const known = members.get(token);
      if (known) known.push(pid);
      else members.set(token, [pid]);
    }
    return members;
  }

  #tokenOf(pid: number): string | undefined {
    const marked = tokenIn(pid);
    if (marked !== undefined) return marked;
    const facts = factsOf(pid);
    if (!facts) return undefined;
    return this.#leaders.get(facts.group) ?? this.#leaders.get(facts.session) ?? this.#seen.get(facts.parent)?.token;
  }

  /** Kills all of a tree and looks again until nothing is left of it; resolves when that is so. */
  async killAll(leader: number, token: string): Promise<void> {
    for (let round = 0; round < 100; round++) {
      signalGroup(leader, 'SIGKILL');
      const left = (this.scan().get(token) ?? []).filter((pid) => pid !== leader && isRunning(pid));
      for (const pid of left) signal(pid, 'SIGKILL');
      if (left.length === 0) return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

/** Processes of this token, by a fresh look at each environment. */
export function processesMarked(token: string): number[] {
  return [...processIds()].filter((pid) => tokenIn(pid) === token);
}

/** The memory in which each process lies; what several share counts for each. */
export function residentMemoryOf(pids: readonly number[]): number {
  let pages = 0;
  for (const pid of pids) {
    try {
      pages += Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]);
    } catch {
      // It has ended in the meantime.
    }
  }
  return pages * PAGE_BYTES;
}

/** The same with what is shared divided among those that share it. Costs a millisecond for each process, or more. */
export function sharedMemoryOf(pids: readonly number[]): number {
  let kilobytes = 0;
  for (const pid of pids) {
    try {
      const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1');
      kilobytes += Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0);
    } catch {
      // It has ended in the meantime.
    }
  }
  return kilobytes * 1024;
}

/** The processor time that they and their ended children have had, in clock ticks. */
export function processorTicksOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + (factsOf(pid)?.processorTicks ?? 0), 0);
}

export function factsOf(pid: number): ProcessFacts | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name of the program stands in parentheses and may hold anything.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return {
      name: text.slice(text.indexOf('(') + 1, text.lastIndexOf(')')),
      // A process that was killed gives its memory back before it becomes a zombie, and that takes some milliseconds.
      ended: fields[0] === 'Z' || fields[20] === '0',
      zombie: fields[0] === 'Z',
      parent: Number(fields[1]),
      group: Number(fields[2]),
      session: Number(fields[3]),
      startTime: fields[19] ?? '',
      processorTicks: fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0),
    };
  } catch {
    return undefined;
  }
}

export function signalGroup(leader: number, name: NodeJS.Signals): void {
  signal(-leader, name);
}

export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // Gone already.
  }
}

function isRunning(pid: number): boolean {
  const facts = factsOf(pid);
  return facts !== undefined && !facts.zombie;
}

function tokenIn(pid: number): string | undefined {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, 'latin1');
    const start = `\0${environment}`.indexOf(`\0${TOKEN_VARIABLE}=`);
    if (start === -1) return undefined;
    return environment.slice(start + TOKEN_VARIABLE.length + 1).split('\0', 1)[0];
  } catch {
    return undefined;
  }
}

function processIds(): Set<number> {
  try {
    return new Set(
      readdirSync('/proc')
        .filter((name) => name.charCodeAt(0) >= 49 && name.charCodeAt(0) <= 57)
        .map(Number),
    );
  } catch {
    return new Set();
  }
}
