/**
 * One measured turn, and what the turns of a run say. A turn is compared only with those of its own round, a second
 * before or after it, so that other work on the machine meets both; the median of the rounds counts.
 */
import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export const [MEASURED_CORE, OTHER_CORE] = ['1', '0'];

export interface Turn {
  readonly perSecond: number;
  readonly cpuMicroseconds: number;
  /** Milliseconds. */
  readonly median: number;
  readonly errors: number;
}

export interface Target {
  readonly url: string;
  readonly pid: number;
}

export interface Load {
  readonly key: string;
  readonly clients: number;
  readonly operation: string;
  readonly seconds: number;
}

export function pin(pid: number, core: string): void {
  spawnSync('taskset', ['-a', '-p', '-c', core, String(pid)]);
}

/** The processor time of all threads. */
function cpuMicroseconds(pid: number): number {
  const tasks = `/proc/${pid}/task`;
  const nanoseconds = readdirSync(tasks).map((task) => {
    try {
      return Number(readFileSync(join(tasks, task, 'schedstat'), 'utf8').split(' ')[0]);
    } catch {
      // The thread has ended.
      return 0;
    }
  });
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1000;
}

/** Sends the load to a target and reads what it took. */
export async function takeTurn({ url, pid }: Target, { key, clients, operation, seconds }: Load): Promise<Turn> {
  const argv = [join(import.meta.dirname, 'load.mjs'), url, key, String(clients), String(seconds), operation];
  const load = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
  pin(load.pid ?? 0, OTHER_CORE);
  let before = 0;
  for await (const line of createInterface(load.stdout)) {
    if (line === 'begin') before = cpuMicroseconds(pid);
    else {
      const { requests, perSecond, median, errors } = JSON.parse(line);
      return { perSecond, median, errors, cpuMicroseconds: (cpuMicroseconds(pid) - before) / requests };
    }
  }
  throw new Error('The load generator ended without a result.');
}

export function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Compares the two turns of each round by `of`, such as their ratio, and returns the median of the rounds. */
export function comparison(
  turns: readonly Turn[],
  others: readonly Turn[],
  of: (turn: Turn, other: Turn) => number,
): number {
  return medianOf(turns.map((turn, round) => of(turn, others[round]!)));
}
