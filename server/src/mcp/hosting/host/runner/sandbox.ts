/**
 * Starts programs in a sandbox: a read-only system, their own folders and processes, their own network if the machine
 * allows it, and nothing of this server. Source: bwrap(1).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { SERVER_FOLDER } from '../../../../folders.ts';
import { newId } from '../../../../values/id.ts';
import { hiddenMemoryFilter } from '../limits/hidden-memory.ts';
import { TOKEN_VARIABLE } from '../machine/process-tree.ts';
import { programUserOf } from '../machine/program-user.ts';
import { Launched } from '../network/launched.ts';
import type { Ways } from '../network/protocol.ts';
import { proxyVariables, type Targets } from '../network/way-out.ts';
import { type Bubblewrap, bubblewrapArguments, fileArguments, namespaceArguments, type Rooms } from './bubblewrap.ts';
import type { Launcher, ProgramStart } from './process-runner.ts';
import type { ProcessSpec } from './runner.ts';
import { sandboxWords } from './staging.ts';

/**
 * Descriptors from which each bubblewrap reads its arguments, because the process list shows the arguments of a command
 * to all users. The channel to the launcher is between them.
 */
const ARGUMENTS_DESCRIPTORS = [3, 5] as const;
/** Descriptor of the filter of system calls. */
const FILTER_DESCRIPTOR = 6;
/** Places in the sandbox of the files that start the program. */
const NODE = '/.signalbox/node';
const LAUNCHER = '/.signalbox/launcher.mjs';
const LAUNCHER_FILE = fileURLToPath(new URL('src/mcp/hosting/host/network/launcher.mjs', SERVER_FOLDER));
/** Keeps the launcher small, because it stays beside a program that listens. */
const LAUNCHER_OPTIONS = ['--max-semi-space-size=1'];
/** Port of the proxy in a network of the program's own. */
const PROXY_PORT = 3128;
/** Part of util-linux, and of the system in the sandbox. */
const PRLIMIT = '/usr/bin/prlimit';
/** Open files of each process, if this host may have as many itself. */
const OPEN_FILES = 8192;
/** Processes and threads of one program. The kernel enforces it for a server that does not run as root. */
const MAX_TASKS = 1024;
const BYTES_PER_MEGABYTE = 1_048_576;

interface SandboxOptions {
  readonly rooms: Rooms;
  /** False if programs use the network of the machine. */
  readonly ownNetwork: boolean;
  /** The targets of programs with a network of their own. */
  readonly targets: Targets;
  /** True if the kernel does not limit memory: then programs must not allocate memory that belongs to no process. */
  readonly refusesHiddenMemory: boolean;
}

export class Sandbox implements Launcher {
  readonly holdsProgram = true;
  readonly isolatesNetwork: boolean;
  readonly #bubblewrap: Bubblewrap;
  readonly #options: SandboxOptions;

  constructor(bubblewrap: Bubblewrap, options: SandboxOptions) {
    this.#bubblewrap = bubblewrap;
    this.#options = options;
    this.isolatesNetwork = options.ownNetwork;
  }

  userOf(serverId: string): number | undefined {
    return programUserOf(serverId);
  }

  /**
   * Bubblewrap itself gets no variables of the program's environment, because it would obey one like LD_PRELOAD outside
   * of the sandbox. It leads the session, so the program needs no session of its own to have no terminal.
   */
  spawn(spec: ProcessSpec, token: string, { ready }: ProgramStart): Launched {
    const { rooms, ownNetwork, targets, refusesHiddenMemory } = this.#options;
    const { files, serves, input, directory } = spec;
    const { program } = this.#bubblewrap;
    const user = this.userOf(spec.serverId);
    const own = [
      [process.execPath, NODE],
      [LAUNCHER_FILE, LAUNCHER],
    ] as const;
    const filter = refusesHiddenMemory ? hiddenMemoryFilter() : undefined;
    const args = [
      ...namespaceArguments(this.#bubblewrap, ownNetwork),
      ...fileArguments(rooms, files, own),
      ...['--chdir', '/'],
      ...(filter ? ['--seccomp', String(FILTER_DESCRIPTOR)] : []),
    ];
    const lists = bubblewrapArguments(program, args, user);
    const read = lists.map((_, at) => ['--args', String(ARGUMENTS_DESCRIPTORS[at])]);
    const [word = '', ...words] = sandboxWords(program, read, user);
    const entranceName = `.${newId()}`;
    const ways: Ways = {
      ...(ownNetwork && { proxyPort: PROXY_PORT }),
      ...(ownNetwork && serves && { entrance: { path: `/tmp/${entranceName}`, port: serves.port } }),
    };
    const child = spawn(word, [...words, NODE, ...LAUNCHER_OPTIONS, LAUNCHER, JSON.stringify(ways)], {
      cwd: '/',
      env: { PATH: '/usr/bin:/bin', [TOKEN_VARIABLE]: token },
      detached: true,
      windowsHide: true,
      stdio: [
        input ? 'pipe' : 'ignore',
        'pipe',
        'pipe',
        'pipe',
        'ipc',
        lists.length > 1 ? 'pipe' : 'ignore',
        filter ? 'pipe' : 'ignore',
      ],
    });
    if (filter) write(child, FILTER_DESCRIPTOR, filter);
    for (const [at, list] of lists.entries()) {
      write(child, ARGUMENTS_DESCRIPTORS[at] ?? -1, list.map((argument) => `${argument}\0`).join(''));
    }
    return new Launched(child, {
      start: {
        command: [...limitsOf(spec), ...spec.command],
        directory,
        environment: { ...spec.environment, ...(ownNetwork && proxyVariables(PROXY_PORT)) },
      },
      targets,
      entrance: ways.entrance && serves && { socket: join(files.temporary, entranceName), folder: serves.folder },
      ready,
    });
  }
}

/** Writes the complete input of one descriptor. */
function write(child: ChildProcess, descriptor: number, content: string | Buffer): void {
  const out = Object.values(child.stdio)[descriptor] as Writable | undefined;
  out?.on('error', () => {});
  out?.end(content);
}

/** Sets limits within the namespaces, so that only processes there count. */
function limitsOf({ diskMegabytes }: ProcessSpec): string[] {
  if (!existsSync(PRLIMIT)) return [];
  const tasks = `--nproc=${MAX_TASKS}:${MAX_TASKS}`;
  const files = Math.min(OPEN_FILES, mostOpenFiles());
  // Disables memory dumps, which could contain secrets.
  return [
    PRLIMIT,
    '--core=0',
    `--nofile=${files}:${files}`,
    tasks,
    `--fsize=${diskMegabytes * BYTES_PER_MEGABYTE}`,
    '--',
  ];
}

/** A process cannot give another a higher limit than its own. */
function mostOpenFiles(): number {
  const [, , hard] = /^Max open files\s+(\S+)\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? [];
  return Number(hard) || OPEN_FILES;
}
