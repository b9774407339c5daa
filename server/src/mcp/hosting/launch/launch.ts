/** Turns the result of a build into the command, folder and environment of a process. */

import { isAbsolute } from 'node:path';
import type { Encryption } from '../../../secrets/encryption.ts';
import { UpstreamError } from '../../upstream/upstream.ts';
import type { Folders } from '../runner/folders.ts';
import { findPython, ownNode } from '../runner/interpreters.ts';
import type { Leftovers } from '../runner/leftovers.ts';
import { handOverOnce } from '../runner/program-user.ts';
import type { Runner, RunningProcess } from '../runner/runner.ts';
import type { PlanRow, VariableRow } from './queries.ts';
import { type HostedConnection, hostedConnectionOf } from './schema.ts';

/** How a build says that its process is started; kept as JSON. */
export interface StoredLaunch {
  /**
   * `{artifact}` is the folder of the build, `{transport}` `http` or `stdio`, `{port}` the port to listen on,
   * `{heapMegabytes}` three quarters of the memory; the same in the environment.
   */
  readonly command: readonly string[];
  /** `copy`: a copy of the built source; `empty`: an empty folder; else a folder of this machine. */
  readonly directory: 'copy' | 'empty' | { readonly path: string };
  /** Folders of the source that are not copied for each run. */
  readonly shared: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Parts of the machine that the program needs beside the system, as `ProgramFiles.machine`. */
  readonly machine?: readonly string[];
}

const HEAP_SHARE = 0.75;

/** Names that this server gives; variables with them, or with the prefix, are refused. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set(['PORT', 'HOST', 'FASTMCP_PORT', 'FASTMCP_HOST', 'HOME']);
export const RESERVED_PREFIX = 'SIGNALBOX_';

export interface Variable {
  readonly name: string;
  readonly value: string;
  readonly sensitive: boolean;
}

/** Throws `DecryptionFailed` when they were written with a key that this server does not have. */
export function readVariables(
  encryption: Encryption,
  rows: readonly Pick<VariableRow, 'name' | 'encrypted_value' | 'sensitive'>[],
): Variable[] {
  return rows.map(({ name, encrypted_value, sensitive }) => ({
    name,
    sensitive,
    value: encryption.decrypt(encrypted_value),
  }));
}

/** What a process is given beside what its launch says. */
export interface ProcessStart {
  /** `{port}` in the command. */
  readonly port?: number;
  readonly environment?: Readonly<Record<string, string>>;
  readonly input: boolean;
}

/** How the processes of a deployment are started, each in folders of its own that no other sees. */
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
    const { folders, runner } = this.#parts;
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

  /** Resolves when nothing is left of the processes that have ended. Never rejects. */
  async cleared(): Promise<void> {
    await Promise.all(this.#removals);
  }
}

/** What a launch works with. */
export interface LaunchParts {
  readonly folders: Folders;
  readonly leftovers: Leftovers;
  readonly runner: Runner;
}

interface FilledLaunch {
  readonly command: readonly string[];
  /** Undefined: the folder of the process. */
  readonly directory: string | undefined;
  /** Undefined: its folder begins empty. */
  readonly artifact: string | undefined;
  readonly shared: readonly string[];
  readonly machine: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
}

function unlessAbsent(error: NodeJS.ErrnoException): never {
  if (error.code !== 'ENOENT') throw error;
  throw new UpstreamError('unavailable', 'The files of the live deployment are not on this machine.');
}

/** Puts together what the processes of a deployment are given. Throws UpstreamError when the build is not on this machine. */
export async function prepareLaunch(
  parts: LaunchParts,
  serverId: string,
  plan: PlanRow & { build_id: string; launch: string },
  variables: readonly Variable[],
): Promise<Launch> {
  const stored = JSON.parse(plan.launch) as StoredLaunch;
  const connection = hostedConnectionOf(JSON.parse(plan.connection) as Partial<HostedConnection>);
  const artifact = parts.folders.artifact(serverId, plan.build_id);
  // A build of a server that ran as another user, or one that a backup has brought back.
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
      ...platformVariables(serverId, plan),
    },
  });
}

/** For builds from before the field existed: the value that they would have now. */
async function machineOf({ command, directory }: StoredLaunch): Promise<readonly string[]> {
  if (typeof directory === 'object' || directory === 'empty') {
    const folder = typeof directory === 'object' ? [directory.path] : [];
    return [...folder, ...command.filter((word) => isAbsolute(word))];
  }
  return [...ownNode().files, ...((await findPython())?.files ?? [])];
}

/** The variables that every process gets. Nothing else of this server's environment is passed on. */
export function baseEnvironment(home: string, temporary: string): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
    HOME: home,
    TMPDIR: temporary,
    LANG: 'C.UTF-8',
    PYTHONUNBUFFERED: '1',
  };
}

function platformVariables(serverId: string, plan: PlanRow): Record<string, string> {
  const resolved = JSON.parse(plan.resolved ?? '{}') as { commit?: string; repository?: string };
  return {
    SIGNALBOX_SERVER_ID: serverId,
    SIGNALBOX_BUILD_ID: plan.build_id ?? '',
    ...(resolved.commit === undefined ? {} : { SIGNALBOX_GIT_COMMIT: resolved.commit }),
    ...(resolved.repository === undefined ? {} : { SIGNALBOX_GIT_REPOSITORY: resolved.repository }),
  };
}
