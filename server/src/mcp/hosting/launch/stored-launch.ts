/** The start command of a build's process, and the values that its server adds. */
import type { Encryption } from '../../../encryption/encryption.ts';
import type { VariableRow } from './queries.ts';

/** Stored as JSON. */
export interface StoredLaunch {
  /**
   * `{artifact}` is the folder of the build, `{transport}` `http` or `stdio`, `{port}` the port to listen on,
   * `{heapMegabytes}` three quarters of the memory. These placeholders also work in the environment.
   */
  readonly command: readonly string[];
  /** `copy`: a copy of the built source; `empty`: an empty folder; else a folder of this machine. */
  readonly directory: 'copy' | 'empty' | { readonly path: string };
  /** Folders of the source that are not copied for each run. */
  readonly shared: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Parts of the machine that the program needs besides the system, see `ProgramFiles.machine`. */
  readonly machine?: readonly string[];
}

/** True if the program needs files of its build. */
export function needsArtifact(launch: StoredLaunch): boolean {
  return launch.directory === 'copy' || JSON.stringify(launch).includes('{artifact}');
}

/** Variables that this server sets; variables with these names, or with the prefix, are refused. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set(['PORT', 'HOST', 'FASTMCP_PORT', 'FASTMCP_HOST', 'HOME']);
export const RESERVED_PREFIX = 'SIGNALBOX_';

export interface Variable {
  readonly name: string;
  readonly value: string;
  readonly sensitive: boolean;
}

/** Throws `DecryptionFailed` when they were written with a key that this server lacks. */
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

/** The values that are never stored in logs. */
export function secretsOf(variables: readonly Variable[]): string[] {
  return variables.filter(({ sensitive }) => sensitive).map(({ value }) => value);
}
