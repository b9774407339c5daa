/**
 * Installs the dependencies of a build, in a Python environment or as npm packages, and gives the command that starts
 * its program.
 */
import { access, constants, open } from 'node:fs/promises';
import { join } from 'node:path';
import { BuildFailed } from '../../boundary/build-failed.ts';
import type { StoredLaunch } from '../../launch/stored-launch.ts';
import { findNpm, findPython, findUv, ownNode } from '../runner/interpreters.ts';
import type { StepOptions, Steps } from './steps.ts';

/** The limit of a file that this server itself reads: a module or a package.json. */
const MAX_READ_BYTES = 4_194_304;

/** The folder of the environment's programs, in the notation of a launch. */
export const PYTHON_PROGRAMS = '{artifact}/venv/bin';

export interface Built {
  readonly launch: StoredLaunch;
  readonly runtime: 'python' | 'node';
}

interface PythonEnvironment {
  /** The interpreter of the environment, for the steps of the build. */
  readonly python: string;
  /** uv, if the machine has it. */
  readonly uv: readonly string[] | undefined;
  /** The command that installs the packages that are appended to it. */
  readonly install: readonly string[];
  readonly step: StepOptions;
  /** Parts of the machine that its programs need. */
  readonly machine: readonly string[];
}

/** Makes the environment `venv` of the artifact. Throws BuildFailed. */
export async function makeEnvironment(steps: Steps, artifact: string): Promise<PythonEnvironment> {
  const source = join(artifact, 'source');
  const venv = join(artifact, 'venv');
  const python = join(venv, 'bin', 'python');
  const base = (await findPython()) ?? missing('python3');
  const uv = findUv();
  const machine = [...base.files, ...(uv?.files ?? [])];
  const step = { machine };
  const [basePython = ''] = base.command;
  await steps.run(
    uv ? [...uv.command, 'venv', '--quiet', '--python', basePython, venv] : [basePython, '-m', 'venv', venv],
    source,
    step,
  );
  const install = uv
    ? [...uv.command, 'pip', 'install', '--python', python]
    : [python, '-m', 'pip', 'install', '--no-input'];
  return { python, uv: uv?.command, install, step, machine };
}

/** Installs the dependencies that the package.json of a folder names, without running their scripts. Throws BuildFailed. */
export async function installNodePackages(steps: Steps, folder: string): Promise<void> {
  const npm = findNpm() ?? missing('npm');
  const locked = await exists(join(folder, 'package-lock.json'));
  await steps.run(
    [
      ...npm.command,
      locked ? 'ci' : 'install',
      '--omit=dev',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--no-update-notifier',
    ],
    folder,
    { machine: npm.files, name: 'npm', said: `$ npm ${locked ? 'ci' : 'install'}` },
  );
}

/** A program that the interpreter of the environment starts with these arguments. */
export function startedByPython({ machine }: PythonEnvironment, words: readonly string[]): Built {
  const command = [`${PYTHON_PROGRAMS}/python`, ...words];
  return { runtime: 'python', launch: { command, directory: 'copy', shared: [], environment: {}, machine } };
}

/**
 * A program that Node starts with these arguments. `shared` lists folders of the source that are not copied for each
 * run.
 */
export function startedByNode(words: readonly string[], shared: readonly string[]): Built {
  const node = ownNode();
  const command = [...node.command, ...words];
  // Node frees memory before the limit of its process is reached, instead of only at the limit.
  const environment = { NODE_OPTIONS: '--max-old-space-size={heapMegabytes}' };
  return { runtime: 'node', launch: { command, directory: 'copy', shared, environment, machine: node.files } };
}

/** Undefined unless it is a plain file: a link that a build step left could point to any file of this machine. */
export async function readText(path: string): Promise<string | undefined> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const facts = await file.stat();
      return facts.isFile() && facts.size <= MAX_READ_BYTES ? await file.readFile('utf8') : undefined;
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}

/** The fields of a package.json that builds read. */
interface Package {
  readonly main?: unknown;
  readonly bin?: unknown;
  readonly version?: unknown;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** Undefined without a package.json. Throws BuildFailed. */
export async function packageOf(folder: string): Promise<Package | undefined> {
  const text = await readText(join(folder, 'package.json'));
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as Package;
  } catch {
    throw new BuildFailed('package.json is not JSON.');
  }
}

function missing(name: string): never {
  throw new BuildFailed(`${name} is not installed on this machine.`);
}

export function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
