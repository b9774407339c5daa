/** Prepares a published package to run. */
import { writeFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { BuildFailed } from '../../boundary/build-failed.ts';
import { exactVersion, foldedName, MAX_VERSION, type PackageSource } from '../../launch/packages.ts';
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

/** A program of a package that has been installed. */
interface BuiltPackage extends Built {
  /** The version from the registry. */
  readonly version: string | undefined;
}

/** Writes the file that names the package as a dependency. */
export async function writePackage(
  { registryType, identifier, version, extras = [] }: PackageSource,
  folder: string,
): Promise<void> {
  if (registryType === 'pypi') {
    const wanted = extras.length > 0 ? `${identifier}[${extras.join(',')}]` : identifier;
    await writeFile(join(folder, 'requirements.txt'), version === null ? `${wanted}\n` : `${wanted}==${version}\n`);
  } else {
    const text = JSON.stringify({ private: true, dependencies: { [identifier]: version ?? 'latest' } });
    await writeFile(join(folder, 'package.json'), text);
  }
}

/** `artifact` contains `source`, which `writePackage` has filled. Throws BuildFailed. */
export function buildPackage(steps: Steps, artifact: string, source: PackageSource): Promise<BuiltPackage> {
  return source.registryType === 'pypi' ? buildPyPi(steps, artifact, source) : buildNpm(steps, artifact, source);
}

async function buildNpm(steps: Steps, artifact: string, source: PackageSource): Promise<BuiltPackage> {
  const { identifier } = source;
  const folder = join(artifact, 'source');
  await installNodePackages(steps, folder);
  const installed = posix.join('node_modules', identifier);
  const found = await packageOf(join(folder, installed));
  const ownName = posix.basename(identifier);
  const programs = programsOf(found?.bin, ownName);
  const file = posix.join(installed, programs.get(chosen([...programs.keys()], ownName, source)) ?? '');
  if (!file.startsWith(`${installed}/`)) throw new BuildFailed('The program of the package is not in the package.');
  return { ...startedByNode([file, ...source.arguments], ['node_modules']), version: shown(source, found?.version) };
}

/** The files of programs by their names. Source: docs.npmjs.com/cli/configuring-npm/package-json, "bin". */
function programsOf(bin: unknown, ownName: string): ReadonlyMap<string, string> {
  if (typeof bin === 'string') return new Map([[ownName, bin]]);
  const entries = typeof bin === 'object' && bin !== null ? Object.entries(bin) : [];
  return new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

/**
 * Prints the version of a package, and the names of its programs, each on a line.
 * Source: packaging.python.org/specifications/entry-points.
 */
const DESCRIBE =
  'import importlib.metadata, sys\n' +
  'found = importlib.metadata.distribution(sys.argv[1])\n' +
  'print(found.version)\n' +
  'for point in found.entry_points:\n' +
  '    if point.group == "console_scripts": print(point.name)\n';

async function buildPyPi(steps: Steps, artifact: string, source: PackageSource): Promise<BuiltPackage> {
  const { identifier } = source;
  const folder = join(artifact, 'source');
  const environment = await makeEnvironment(steps, artifact);
  const { python, install, step } = environment;
  await steps.run([...install, '-r', 'requirements.txt'], folder, step);
  const { output } = await steps.ask([python, '-c', DESCRIBE, identifier], folder, step);
  const [version, ...names] = output.split('\n').filter((line) => /^[\w.+!-]+$/.test(line));
  const program = posix.join(PYTHON_PROGRAMS, chosen(names, identifier, source));
  return { ...startedByPython(environment, [program, ...source.arguments]), version: shown(source, version) };
}

/** A package can state anything as its version. */
function shown({ registryType }: PackageSource, version: unknown): string | undefined {
  return typeof version === 'string' && version.length <= MAX_VERSION ? exactVersion(registryType, version) : undefined;
}

/** Throws BuildFailed when it is not clear which program to run, and when the wanted one does not exist. */
function chosen(names: readonly string[], ownName: string, { program }: PackageSource): string {
  const [first, ...others] = names;
  if (first === undefined) throw new BuildFailed('The package has no program to run.');
  if (program) {
    if (names.includes(program)) return program;
    throw new BuildFailed(`The package has no program ${program}. It has: ${names.join(', ')}.`);
  }
  if (others.length === 0) return first;
  const named = names.find((name) => foldedName(name) === foldedName(ownName));
  if (named !== undefined) return named;
  throw new BuildFailed(`The package has several programs, and none has its name: ${names.join(', ')}.`);
}
