/**
 * Ends processes that a killed server left behind. Each process is recorded in a file while it runs; at the next start
 * on the same machine, the files of ended servers name the processes to end.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { factsOf, processesMarked, signal } from '../machine/process-tree.ts';

interface Note {
  readonly token: string;
  readonly host: string;
  /** Changes with each boot of the machine, which no process survives. */
  readonly boot: string;
  /** The server that started it: its process id and start time. */
  readonly server: number;
  readonly serverStart: string;
}

const BOOT_ID = readBootId();

export class Orphans {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  note(token: string): void {
    const note: Note = {
      token,
      host: hostname(),
      boot: BOOT_ID,
      server: process.pid,
      serverStart: factsOf(process.pid)?.startTime ?? '',
    };
    writeFileSync(this.#file(token), JSON.stringify(note), { mode: 0o600 });
  }

  forget(token: string): void {
    rmSync(this.#file(token), { force: true });
  }

  /** Ends the processes that dead servers left on this machine. Files of another machine stay. */
  endAll(): void {
    for (const name of readdirSync(this.#folder).filter((file) => file.endsWith('.json'))) {
      const note = this.#read(name);
      if (!note || note.host !== hostname()) continue;
      if (note.boot === BOOT_ID) {
        const server = factsOf(note.server);
        if (server && !server.ended && server.startTime === note.serverStart) continue;
        for (const pid of processesMarked(note.token)) signal(pid, 'SIGKILL');
      }
      rmSync(join(this.#folder, name), { force: true });
    }
  }

  #read(name: string): Note | undefined {
    try {
      return JSON.parse(readFileSync(join(this.#folder, name), 'utf8')) as Note;
    } catch {
      return undefined;
    }
  }

  #file(token: string): string {
    return join(this.#folder, `${token}.json`);
  }
}

function readBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}
