/** Prepares a source to run: chooses the runtime, installs the dependencies and finds the start command. */
import { access, constants, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { StoredLaunch } from '../launch/launch.ts';
import { findNpm, findPython, findUv, ownNode } from '../runner/interpreters.ts';
import { BuildFailed } from './build-failed.ts';
import type { Steps } from './steps.ts';

/** The limit of a file that this server itself reads: a module or a package.json. */
const MAX_READ_BYTES = 4_194_304;

export interface RuntimeOptions {
  readonly steps: Steps;
  /** Holds `source`. */
  readonly artifact: string;
  readonly entrypoint: string | null;
  readonly dependencyPath: string | null;
}

export interface Built {
  readonly launch: StoredLaunch;
  readonly runtime: 'python' | 'node';
}

/** Installs what the source needs, beside it. Throws BuildFailed. */
export async function buildRuntime(options: RuntimeOptions): Promise<Built> {
  const entrypoint = options.entrypoint ?? (await findEntrypoint(join(options.artifact, 'source')));
  const [file = ''] = entrypoint.split(':');
  if (!(await exists(join(options.artifact, 'source', file)))) {
    throw new BuildFailed(`The source has no file ${file}.`);
  }
  return file.endsWith('.py') ? buildPython(options, entrypoint) : buildNode(options, entrypoint);
}

async function findEntrypoint(source: string): Promise<string> {
  for (const name of ['main.py', 'server.py']) if (await exists(join(source, name))) return name;
  const main = (await packageOf(source))?.main;
  if (typeof main === 'string') return main;
  for (const name of ['index.js', 'index.mjs', 'index.ts']) if (await exists(join(source, name))) return name;
  throw new BuildFailed('The source has no known entry point. Name one, for example main.py or dist/index.js.');
}

async function buildPython(options: RuntimeOptions, entrypoint: string): Promise<Built> {
  const { steps, artifact } = options;
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
  const file =
    options.dependencyPath ??
    (await firstOf(source, dirname(entrypoint), ['requirements.txt', 'uv.lock', 'pyproject.toml']));
  if (file === undefined) {
    steps.say('The source has no dependency file.');
  } else if (!(await exists(join(source, file)))) {
    throw new BuildFailed(`The source has no file ${file}.`);
  } else if (file.endsWith('uv.lock') && uv) {
    const environment = { UV_PROJECT_ENVIRONMENT: venv };
    await steps.run([...uv.command, 'sync', '--frozen', '--no-dev'], join(source, dirname(file)), {
      environment,
      ...step,
    });
  } else if (/(uv\.lock|pyproject\.toml)$/.test(file)) {
    await steps.run([...install, '.'], join(source, dirname(file)), step);
  } else {
    await steps.run([...install, '-r', file], source, step);
  }
  const hasFastMcp = async () => (await steps.ask([python, '-c', 'import fastmcp'], source, step)).code === 0;
  const needsFastMcp = entrypoint.includes(':') || (await usesFastMcp(join(source, entrypoint)));
  if (needsFastMcp && !(await hasFastMcp())) await steps.run([...install, 'fastmcp'], source, step);
  const inArtifact = '{artifact}/venv/bin/python';
  const command = needsFastMcp
    ? [inArtifact, '-m', 'fastmcp.cli', 'run', entrypoint, '--transport', '{transport}', '--no-banner']
    : [inArtifact, entrypoint];
  return { runtime: 'python', launch: { command, directory: 'copy', shared: [], environment: {}, machine } };
}

/** True for a module that imports FastMCP. Such a module makes a server object and does not run it on import. */
async function usesFastMcp(file: string): Promise<boolean> {
  return /^\s*(from|import)\s+fastmcp\b/m.test((await readText(file)) ?? '');
}

async function buildNode(options: RuntimeOptions, entrypoint: string): Promise<Built> {
  const { steps, artifact } = options;
  const source = join(artifact, 'source');
  const folder = join(source, options.dependencyPath === null ? '' : dirname(options.dependencyPath));
  const needs = (await packageOf(folder))?.dependencies;
  const shared: string[] = [];
  if (needs && Object.keys(needs).length > 0) {
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
    if (await exists(join(source, 'node_modules'))) shared.push('node_modules');
  }
  const node = ownNode();
  const command = [...node.command, entrypoint];
  // Node frees memory before the limit of its process is reached, and not only when it is.
  const environment = { NODE_OPTIONS: '--max-old-space-size={heapMegabytes}' };
  return { runtime: 'node', launch: { command, directory: 'copy', shared, environment, machine: node.files } };
}

/** Undefined unless it is a plain file: a link that a build step left could lead to any file of this machine. */
async function readText(path: string): Promise<string | undefined> {
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

interface Package {
  readonly main?: unknown;
  readonly dependencies?: Readonly<Record<string, string>>;
}

async function packageOf(folder: string): Promise<Package | undefined> {
  const text = await readText(join(folder, 'package.json'));
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as Package;
  } catch {
    throw new BuildFailed('package.json is not JSON.');
  }
}

/** In the folder of the entry point, else at the top. */
async function firstOf(source: string, folder: string, names: readonly string[]): Promise<string | undefined> {
  for (const place of new Set([folder, '.'])) {
    for (const name of names) if (await exists(join(source, place, name))) return join(place, name);
  }
  return undefined;
}

function missing(name: string): never {
  throw new BuildFailed(`${name} is not installed on this machine.`);
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
