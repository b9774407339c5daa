/** Prepares a published package to run: its program is the only one that it has, or the one that has its name. */
import { writeFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { BuildFailed } from '../../boundary/build-failed.ts';
import type { PackageSource } from '../../launch/source.ts';
import {
  type Built,
  installNodePackages,
  makeEnvironment,
  PYTHON_PROGRAMS,
  packageOf,
  startedByNode,
  startedByPython,
} from './install.ts';
import type { Steps } from './steps.ts';

/** Writes the file that names the package, as a source of somebody who needs it would. */
export async function writePackage(
  { registryType, identifier, version }: PackageSource,
  folder: string,
): Promise<void> {
  if (registryType === 'pypi') await writeFile(join(folder, 'requirements.txt'), `${identifier}==${version}\n`);
  else {
    const text = JSON.stringify({ private: true, dependencies: { [identifier]: version } });
    await writeFile(join(folder, 'package.json'), text);
  }
}

/** `artifact` holds `source`, which `writePackage` has filled. Throws BuildFailed. */
export function buildPackage(steps: Steps, artifact: string, source: PackageSource): Promise<Built> {
  return source.registryType === 'pypi' ? buildPyPi(steps, artifact, source) : buildNpm(steps, artifact, source);
}

async function buildNpm(
  steps: Steps,
  artifact: string,
  { identifier, arguments: given }: PackageSource,
): Promise<Built> {
  const folder = join(artifact, 'source');
  await installNodePackages(steps, folder);
  const installed = posix.join('node_modules', identifier);
  const ownName = posix.basename(identifier);
  const programs = programsOf((await packageOf(join(folder, installed)))?.bin, ownName);
  const file = posix.join(installed, programs.get(chosen([...programs.keys()], ownName)) ?? '');
  if (!file.startsWith(`${installed}/`)) throw new BuildFailed('The program of the package is not in the package.');
  return startedByNode([file, ...given], ['node_modules']);
}

/** The files of programs by their names. Source: docs.npmjs.com/cli/configuring-npm/package-json, "bin". */
function programsOf(bin: unknown, ownName: string): ReadonlyMap<string, string> {
  if (typeof bin === 'string') return new Map([[ownName, bin]]);
  const entries = typeof bin === 'object' && bin !== null ? Object.entries(bin) : [];
  return new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

/** Prints the names of the programs of a package. Source: packaging.python.org/specifications/entry-points. */
const LIST_PROGRAMS =
  'import importlib.metadata, sys\n' +
  'for point in importlib.metadata.distribution(sys.argv[1]).entry_points:\n' +
  '    if point.group == "console_scripts": print(point.name)\n';

async function buildPyPi(
  steps: Steps,
  artifact: string,
  { identifier, arguments: given }: PackageSource,
): Promise<Built> {
  const folder = join(artifact, 'source');
  const environment = await makeEnvironment(steps, artifact);
  const { python, install, step } = environment;
  await steps.run([...install, '-r', 'requirements.txt'], folder, step);
  const { output } = await steps.ask([python, '-c', LIST_PROGRAMS, identifier], folder, step);
  const names = output.split('\n').filter((name) => /^[\w.-]+$/.test(name));
  return startedByPython(environment, [posix.join(PYTHON_PROGRAMS, chosen(names, identifier)), ...given]);
}

/** Throws BuildFailed where it is open which program is meant. */
function chosen(names: readonly string[], wanted: string): string {
  const [first, ...others] = names;
  if (first === undefined) throw new BuildFailed('The package has no program to run.');
  if (others.length === 0) return first;
  const named = names.find((name) => folded(name) === folded(wanted));
  if (named !== undefined) return named;
  throw new BuildFailed(`The package has several programs, and none has its name: ${names.join(', ')}.`);
}

/** PyPI takes names that differ only in these for one. Source: PEP 503. */
function folded(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.]+/g, '-');
}
