/** Sets priorities for busy processors: the server first, then the host, then programs. */
import { readdirSync, writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

/** Each step reduces a process's share of the processors by a factor of 1.25. */
const HOST_NICE = 5;
const PROGRAM_NICE = constants.priority.PRIORITY_BELOW_NORMAL;

/** Gives this process a lower priority than the server. Threads and processes that it starts later inherit it. */
export function stepBehindServer(): void {
  for (const thread of threads()) setNice(thread, HOST_NICE);
  setSessionNice(process.pid, HOST_NICE);
}

/** Gives a program the lowest priority. Its descendants inherit it, except in a session of their own. */
export function putBehind(pid: number): void {
  setNice(pid, PROGRAM_NICE);
  setSessionNice(pid, PROGRAM_NICE);
}

function setNice(id: number, nice: number): void {
  try {
    setPriority(id, nice);
  } catch {
    // It has ended already.
  }
}

/**
 * If the kernel shares the processors among sessions first, the nice value of a process counts only within its session,
 * and each session has a value of its own. Source: sched(7), "The autogroup feature".
 */
function setSessionNice(pid: number, nice: number): void {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(nice));
  } catch {
    // The kernel does not group by session, or the process has ended.
  }
}

/** Each has a nice value of its own on Linux. */
function threads(): number[] {
  try {
    return readdirSync('/proc/self/task').map(Number);
  } catch {
    return [process.pid];
  }
}
