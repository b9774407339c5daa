/** Turns the result of a build into the command, folder and environment of a process. */

import { isAbsolute } from 'node:path';
import type { Encryption } from '../../../secrets/encryption.ts';
import type { Folders, Run } from '../runner/folders.ts';
import { findPython, ownNode } from '../runner/interpreters.ts';
import type { ProgramFiles } from '../runner/runner.ts';
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

/** How the processes of a deployment are started. */
export interface Launch {
  readonly serverId: string;
  readonly connection: HostedConnection;
  readonly command: readonly string[];
  readonly directory: string;
  /** The folder of this run, for this server's own files. */
  readonly folder: string;
  readonly files: ProgramFiles;
  readonly environment: Readonly<Record<string, string>>;
}

export interface PreparedLaunch {
  readonly launch: Launch;
  readonly run: Run;
}

/** Makes the folder of a run and puts together what its processes are given. */
export async function prepareLaunch(
  folders: Folders,
  serverId: string,
  plan: PlanRow & { build_id: string; launch: string },
  variables: readonly Variable[],
): Promise<PreparedLaunch> {
  const stored = JSON.parse(plan.launch) as StoredLaunch;
  const connection = hostedConnectionOf(JSON.parse(plan.connection) as Partial<HostedConnection>);
  const artifact = folders.artifact(serverId, plan.build_id);
  const run = await folders.makeRun(stored.directory === 'copy' ? artifact : undefined, stored.shared);
  const filled = (text: string) =>
    text
      .replaceAll('{artifact}', artifact)
      .replaceAll('{transport}', connection.transport)
      .replaceAll('{heapMegabytes}', String(Math.floor(connection.memoryMegabytes * HEAP_SHARE)));
  const launch: Launch = {
    serverId,
    connection,
    command: stored.command.map(filled),
    directory: typeof stored.directory === 'string' ? run.work : stored.directory.path,
    folder: run.folder,
    files: {
      writable: [run.work],
      temporary: run.temporary,
      readable: stored.directory === 'copy' ? [artifact] : [],
      machine: stored.machine ?? (await machineOf(stored)),
    },
    environment: {
      ...baseEnvironment(run.work, run.temporary),
      ...Object.fromEntries(Object.entries(stored.environment).map(([name, value]) => [name, filled(value)])),
      ...Object.fromEntries(variables.map(({ name, value }) => [name, value])),
      ...platformVariables(serverId, plan),
    },
  };
  return { launch, run };
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
