/** Decides the number of processes that serve on this machine. */
import { availableParallelism, totalmem } from 'node:os';
import type { Config } from '../config.ts';
import { ConfigError } from '../errors.ts';
import { sqliteFileOf } from '../settings/database-url.ts';

/** With fewer processors, the database and the host of programs have no use for what more processes would take. */
const LEAST_PROCESSORS = 4;
const MOST_PROCESSES = 8;
/** Memory of a busy process with its part of the database. */
const BYTES_OF_PROCESS = 300 * 1024 * 1024;

interface Machine {
  readonly processors: number;
  readonly bytes: number;
  readonly platform: string;
}

/** Throws ConfigError if the settings ask for more processes than this database or this system allows. */
export function processesOf(
  { processes, databaseUrl }: Pick<Config, 'processes' | 'databaseUrl'>,
  machine: Machine = thisMachine(),
): number {
  const isAuto = processes === 'auto';
  if (processes === 1) return 1;
  if (sqliteFileOf(databaseUrl) !== undefined) {
    if (isAuto) return 1;
    throw new ConfigError(
      `SIGNALBOX_PROCESSES (--processes) is ${processes}, but a server on SQLite is one process: each write reads, decides and writes in one transaction, and only one process can let transactions share a commit. One process answers some 10,000 calls a second; for more, use PostgreSQL (SIGNALBOX_DATABASE_URL). Otherwise set SIGNALBOX_PROCESSES=1.`,
    );
  }
  if (machine.platform === 'win32') {
    if (isAuto) return 1;
    throw new ConfigError(
      `SIGNALBOX_PROCESSES (--processes) is ${processes}, but on Windows a process cannot hand connections on. Set SIGNALBOX_PROCESSES=1.`,
    );
  }
  if (!isAuto) return processes;
  const { processors, bytes } = machine;
  if (processors < LEAST_PROCESSORS) return 1;
  return Math.max(1, Math.min(processors - 1, Math.floor(bytes / BYTES_OF_PROCESS), MOST_PROCESSES));
}

/** The part of the machine that this process may use: a container has limits. */
function thisMachine(): Machine {
  const limit = process.constrainedMemory();
  const all = totalmem();
  return {
    processors: availableParallelism(),
    bytes: limit > 0 ? Math.min(limit, all) : all,
    platform: process.platform,
  };
}
