/**
 * Starts programs in a sandbox: a read-only system, folders of their own, processes of their own, and nothing of this
 * server. Source: bwrap(1).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { type Bubblewrap, fileArguments, programOnPath, type Rooms } from './bubblewrap.ts';
import type { Launcher } from './process-runner.ts';
import { TOKEN_VARIABLE } from './process-tree.ts';
import type { ProcessSpec } from './runner.ts';

/** Where the child reads its arguments from: the list of processes shows those of a command to everybody. */
const ARGUMENTS_DESCRIPTOR = 3;
/** Open files; and no dumps of memory, which could hold secrets. */
const LIMITS = ['--core=0', '--nofile=8192:8192'];

export class Sandbox implements Launcher {
  readonly holdsProgram = true;
  readonly #bubblewrap: Bubblewrap;
  readonly #rooms: Rooms;
  readonly #limits: readonly string[];

  constructor(bubblewrap: Bubblewrap, rooms: Rooms) {
    this.#bubblewrap = bubblewrap;
    this.#rooms = rooms;
    const prlimit = programOnPath('prlimit');
    this.#limits = prlimit === undefined ? [] : [prlimit, ...LIMITS, '--'];
  }

  /**
   * Bubblewrap itself gets nothing of the program's environment: it would obey a variable like LD_PRELOAD outside of the
   * sandbox. It leads the session, so the program needs none of its own to be without a terminal.
   */
  spawn({ command, directory, environment, files, input }: ProcessSpec, token: string): ChildProcess {
    const { program, namespaces } = this.#bubblewrap;
    const variables = Object.entries(environment).flatMap(([name, value]) => ['--setenv', name, value]);
    const args = [...namespaces, ...fileArguments(this.#rooms, files), ...variables, '--chdir', directory];
    const [first = '', ...rest] = [
      ...this.#limits,
      ...[program, '--args', String(ARGUMENTS_DESCRIPTOR), '--', ...command],
    ];
    const child = spawn(first, rest, {
      cwd: '/',
      env: { PATH: '/usr/bin:/bin', [TOKEN_VARIABLE]: token },
      detached: true,
      windowsHide: true,
      stdio: [input ? 'pipe' : 'ignore', 'pipe', 'pipe', 'pipe'],
    });
    const out = child.stdio[ARGUMENTS_DESCRIPTOR] as Writable | null;
    out?.on('error', () => {});
    out?.end(args.map((word) => `${word}\0`).join(''));
    return child;
  }
}

/** What no program may see: the home folder, and the database where it is a file elsewhere. */
export function hiddenOf({ home, databaseUrl }: { readonly home: string; readonly databaseUrl: string }): string[] {
  const file = databaseUrl.startsWith('sqlite:') ? databaseUrl.slice('sqlite:'.length) : undefined;
  return [home, ...(file === undefined ? [] : [file, `${file}-wal`, `${file}-shm`])].map((path) => join(path));
}
