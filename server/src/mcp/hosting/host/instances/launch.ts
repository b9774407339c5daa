/** Converts the description of a server to the command, folder and environment of its processes. */

import { isAbsolute } from 'node:path';
import { UpstreamError } from '../../../upstream/upstream.ts';
import type { ProgramSpec } from '../../boundary/host.ts';
import type { HostedConnection } from '../../launch/schema.ts';
import type { StoredLaunch } from '../../launch/stored-launch.ts';
import { handOverOnce } from '../machine/program-user.ts';
import type { Folders } from '../runner/folders.ts';
import { findPython, ownNode } from '../runner/interpreters.ts';
import type { Leftovers } from '../runner/leftovers.ts';
import type { Runner, RunningProcess } from '../runner/runner.ts';

const HEAP_SHARE = 0.75;

/** The values for a process in addition to its launch. */
interface ProcessStart {
  /** `{port}` in the command. */
  readonly port?: number;
  readonly environment?: Readonly<Record<string, string>>;
  readonly input: boolean;
}

/** Starts the processes of a deployment, each in folders of its own that no other sees. */
export class Launch {
  readonly serverId: string;
  readonly connection: HostedConnection;
  readonly #parts: LaunchParts;
  readonly #filled: FilledLaunch;
  readonly #removals = new Set<Promise<void>>();

  constructor(serverId: string, connection: HostedConnection, parts: LaunchParts, filled: FilledLaunch) {
    this.serverId = serverId;
    this.connection = connection;
    this.#parts = parts;
    this.#filled = filled;
  }

  get isolatesNetwork(): boolean {
    return this.#parts.runner.isolatesNetwork;
  }

  /** Its folders are removed after its end. Throws UpstreamError when the build is not on this machine. */
  async start({ port, environment, input }: ProcessStart): Promise<RunningProcess> {
    const { folders, runner, maxFiles } = this.#parts;
    const { command, directory, artifact, shared, machine, variables } = this.#filled;
    const { memoryMegabytes, diskMegabytes } = this.connection;
    const run = await folders.makeRun(artifact, shared, runner.userOf(this.serverId)).catch(unlessAbsent);
    const spec = {
      serverId: this.serverId,
      command: port === undefined ? command : command.map((word) => word.replaceAll('{port}', String(port))),
      directory: directory ?? run.work,
      files: {
        writable: [run.work],
        temporary: run.temporary,
        readable: artifact === undefined ? [] : [artifact],
        machine,
      },
      environment: { ...baseEnvironment(run.work, run.temporary), ...variables, ...environment },
      memoryMegabytes,
      diskMegabytes,
      maxFiles,
      ...(port !== undefined && { serves: { port, folder: run.folder } }),
      input,
    };
    try {
      const process = runner.start(spec);
      this.#removeAfter(process.ended, run.folder);
      return process;
    } catch (error) {
      this.#removeAfter(Promise.resolve(), run.folder);
      throw error;
    }
  }

  #removeAfter(end: Promise<unknown>, folder: string): void {
    const removal = end.then(() => this.#parts.leftovers.remove(folder)).finally(() => this.#removals.delete(removal));
    this.#removals.add(removal);
  }

  /** Resolves when all files of ended processes are removed. Never rejects. */
  async cleared(): Promise<void> {
    await Promise.all(this.#removals);
  }
}

/** The parts that a launch uses. */
export interface LaunchParts {
  readonly folders: Folders;
  readonly leftovers: Leftovers;
  readonly runner: Runner;
  /** Files, folders and links that a process may keep. */
  readonly maxFiles: number;
}

interface FilledLaunch {
  readonly command: readonly string[];
  /** Undefined means the folder of the process. */
  readonly directory: string | undefined;
  /** Undefined if its folder starts empty. */
  readonly artifact: string | undefined;
  readonly shared: readonly string[];
  readonly machine: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
}

function unlessAbsent(error: NodeJS.ErrnoException): never {
  if (error.code !== 'ENOENT') throw error;
  throw new UpstreamError('unavailable', 'The files of the live deployment are not on this machine.');
}

/** Collects the parts of a server's processes. Throws UpstreamError when the build is not on this machine. */
export async function prepareLaunch(parts: LaunchParts, spec: ProgramSpec): Promise<Launch> {
  const { serverId, launch: stored, connection, variables, facts } = spec;
  const artifact = parts.folders.artifact(serverId, spec.buildId);
  // A build of a server that ran as another user, or from a backup.
  if (stored.directory === 'copy') await handOverOnce(artifact, parts.runner.userOf(serverId)).catch(unlessAbsent);
  const filled = (text: string) =>
    text
      .replaceAll('{artifact}', artifact)
      .replaceAll('{transport}', connection.transport)
      .replaceAll('{heapMegabytes}', String(Math.floor(connection.memoryMegabytes * HEAP_SHARE)));
  return new Launch(serverId, connection, parts, {
    command: stored.command.map(filled),
    directory: typeof stored.directory === 'string' ? undefined : stored.directory.path,
    artifact: stored.directory === 'copy' ? artifact : undefined,
    shared: stored.shared,
    machine: stored.machine ?? (await machineOf(stored)),
    variables: {
      ...Object.fromEntries(Object.entries(stored.environment).map(([name, value]) => [name, filled(value)])),
      ...Object.fromEntries(variables.map(({ name, value }) => [name, value])),
      ...facts,
    },
  });
}

/** For builds from before the field existed: the value that a build would have now. */
async function machineOf({ command, directory }: StoredLaunch): Promise<readonly string[]> {
  if (typeof directory === 'object' || directory === 'empty') {
    const folder = typeof directory === 'object' ? [directory.path] : [];
    return [...folder, ...command.filter((word) => isAbsolute(word))];
  }
  return [...ownNode().files, ...((await findPython())?.files ?? [])];
}

/** The variables that every process gets. The rest of this server's environment is not passed on. */
export function baseEnvironment(home: string, temporary: string): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
    HOME: home,
    TMPDIR: temporary,
    LANG: 'C.UTF-8',
    PYTHONUNBUFFERED: '1',
  };
}
