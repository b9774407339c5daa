/** Prepares a source to run: chooses the runtime, installs the dependencies and finds the start command. */
import { dirname, join } from 'node:path';
import { BuildFailed } from '../../boundary/build-failed.ts';
import {
  type Built,
  exists,
  installNodePackages,
  makeEnvironment,
  packageOf,
  readText,
  startedByNode,
  startedByPython,
} from './install.ts';
import type { Steps } from './steps.ts';

interface RuntimeOptions {
  readonly steps: Steps;
  /** Contains `source`. */
  readonly artifact: string;
  readonly entrypoint: string | null;
  readonly dependencyPath: string | null;
}

/** Installs the dependencies of the source, beside it. Throws BuildFailed. */
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
  const environment = await makeEnvironment(steps, artifact);
  const { python, uv, install, step } = environment;
  const file =
    options.dependencyPath ??
    (await firstOf(source, dirname(entrypoint), ['requirements.txt', 'uv.lock', 'pyproject.toml']));
  if (file === undefined) {
    steps.say('The source has no dependency file.');
  } else if (!(await exists(join(source, file)))) {
    throw new BuildFailed(`The source has no file ${file}.`);
  } else if (file.endsWith('uv.lock') && uv) {
    const here = { environment: { UV_PROJECT_ENVIRONMENT: join(artifact, 'venv') }, ...step };
    await steps.run([...uv, 'sync', '--frozen', '--no-dev'], join(source, dirname(file)), here);
  } else if (/(uv\.lock|pyproject\.toml)$/.test(file)) {
    await steps.run([...install, '.'], join(source, dirname(file)), step);
  } else {
    await steps.run([...install, '-r', file], source, step);
  }
  const hasFastMcp = async () => (await steps.ask([python, '-c', 'import fastmcp'], source, step)).code === 0;
  const needsFastMcp = entrypoint.includes(':') || (await usesFastMcp(join(source, entrypoint)));
  if (needsFastMcp && !(await hasFastMcp())) await steps.run([...install, 'fastmcp'], source, step);
  return startedByPython(
    environment,
    needsFastMcp ? ['-m', 'fastmcp.cli', 'run', entrypoint, '--transport', '{transport}', '--no-banner'] : [entrypoint],
  );
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
    await installNodePackages(steps, folder);
    if (await exists(join(source, 'node_modules'))) shared.push('node_modules');
  }
  return startedByNode([entrypoint], shared);
}

/** The first of these files, in the folder of the entry point or else at the top. */
async function firstOf(source: string, folder: string, names: readonly string[]): Promise<string | undefined> {
  for (const place of new Set([folder, '.'])) {
    for (const name of names) if (await exists(join(source, place, name))) return join(place, name);
  }
  return undefined;
}
