import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

const repository = join(import.meta.dirname, '..', '..', '..');

/** The clients that run the scenarios, oldest first: the last release of some minor versions. */
export const CLIENTS = ['3.0.11', '3.2.15', '3.4.25', '3.6.29', '3.7.8', '3.9.1'] as const;
export type ClientVersion = (typeof CLIENTS)[number];
export const NEWEST_CLIENT: ClientVersion = '3.9.1';

/** Excludes releases that an SDK's wide ranges allow but that do not work with it. */
const oldLibraries = ['pydantic<2.11', 'pydantic-settings<2.9', 'importlib_metadata'];
/** Further ones for the oldest clients: they add to a tuple of apprise that is now a frozen set. */
const oldestLibraries = [...oldLibraries, 'apprise<1.9.4'];
/** The answers of the reference server, which is part of the package, depend on these. */
const librariesOfReference = ['fastapi==0.150.0', 'sqlalchemy[asyncio]==2.1.9', 'pydantic==2.14.3'];
const libraries: Record<ClientVersion, readonly string[]> = {
  '3.0.11': oldestLibraries,
  '3.2.15': oldestLibraries,
  '3.4.25': oldLibraries,
  '3.6.29': oldLibraries,
  '3.7.8': [],
  '3.9.1': librariesOfReference,
};

/**
 * Replacements for requirements of an SDK that cannot be met: 3.9.1 needs a release of certifi that is no longer
 * available.
 */
const overrides = ['certifi>=2024'];

/** Integrations that single scenarios test; the suite skips those that cannot be installed. */
const integrations = ['prefect-dask==0.3.7'];

/** Python or the SDK is missing on this machine: the caller skips the scenarios and shows the message. */
export class PythonMissing extends Error {}

export interface Python {
  readonly command: string;
  /** Version of its SDK. */
  readonly version: string;
}

/**
 * The Python that runs the scenarios: SIGNALBOX_TEST_PYTHON, or a virtual environment with the SDK that is created
 * once. Throws PythonMissing without Python 3.10 or later, and Error when the SDK cannot be installed.
 */
export async function preparePython(
  say: (line: string) => void,
  client: ClientVersion = NEWEST_CLIENT,
): Promise<Python> {
  const named = process.env['SIGNALBOX_TEST_PYTHON'];
  if (named) {
    const version = sdkVersion(named);
    if (!version) throw new Error(`SIGNALBOX_TEST_PYTHON: ${named} cannot import prefect`);
    say(`Python of SIGNALBOX_TEST_PYTHON with Prefect ${version}`);
    return { command: named.includes('/') ? resolve(named) : named, version };
  }
  const command = await prepareClient(say, client);
  if (client === NEWEST_CLIENT) await installIntegrations(command, say);
  return { command, version: client };
}

/**
 * The Python of `.work/prefect-<version>`, which the first run creates. Throws PythonMissing without Python 3.10 or
 * later, and Error when the package cannot be installed.
 */
export async function prepareClient(say: (line: string) => void, client: ClientVersion): Promise<string> {
  const environment = environmentOf(client);
  const requirements = [`prefect==${client}`, ...libraries[client]];
  const python = join(environment, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
  // Written last, so that an interrupted installation is repeated and other requirements create a new environment.
  const marker = join(environment, `installed-${requirements.join('-').replaceAll(/[^\w.=-]/g, '')}`);
  if (existsSync(marker) && existsSync(python)) return python;

  const base = ['python3', 'python'].find(isRecentPython);
  if (!base) throw new PythonMissing('Python 3.10 or later is missing: install it, or set SIGNALBOX_TEST_PYTHON');
  say(`making ${environment} with ${requirements.join(', ')} (once; a few minutes at most)`);
  await rm(environment, { recursive: true, force: true });
  await mkdir(dirname(environment), { recursive: true });
  await run(base, ['-m', 'venv', environment]);
  await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', 'uv']);
  await install(python, requirements);
  await writeFile(marker, '');
  return python;
}

/** With uv, because pip cannot override a requirement. Compiled, or each of the processes would compile it all again. */
async function install(python: string, requirements: readonly string[]): Promise<void> {
  const file = join(dirname(dirname(python)), 'overrides.txt');
  await writeFile(file, overrides.join('\n'));
  await run(python, [
    '-m',
    'uv',
    'pip',
    'install',
    '--quiet',
    '--compile-bytecode',
    '--python',
    python,
    '--override',
    file,
    ...requirements,
  ]);
}

function environmentOf(client: ClientVersion): string {
  return join(repository, '.work', `prefect-${client}`);
}

/** Installs missing integrations, once; the SDK itself is unchanged. */
async function installIntegrations(python: string, say: (line: string) => void): Promise<void> {
  for (const integration of integrations) {
    const marker = join(environmentOf(NEWEST_CLIENT), `tried-${integration}`);
    if (existsSync(marker)) continue;
    const wanted = [integration, `prefect==${NEWEST_CLIENT}`, ...libraries[NEWEST_CLIENT]];
    await install(python, wanted).catch((cause: Error) => say(`without ${integration}: ${cause.message}`));
    await writeFile(marker, '');
  }
}

/** False when Python lacks the package that a scenario needs. */
export function hasPackage(python: string, name: string): boolean {
  const code = `import importlib.util, sys; sys.exit(importlib.util.find_spec('${name}') is None)`;
  return spawnSync(python, ['-c', code], { stdio: 'ignore' }).status === 0;
}

function isRecentPython(command: string): boolean {
  const check = 'import sys; sys.exit(0 if sys.version_info >= (3, 10) else 1)';
  return spawnSync(command, ['-c', check], { stdio: 'ignore' }).status === 0;
}

/** The SDK's version, from its package's metadata: importing it takes seconds. */
function sdkVersion(python: string): string | undefined {
  const code = "from importlib.metadata import version; print(version('prefect'))";
  const answer = spawnSync(python, ['-c', code], { encoding: 'utf8' });
  return answer.status === 0 ? answer.stdout.trim() : undefined;
}

function run(command: string, args: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${command} ${args.join(' ')} failed with exit code ${code}`));
    });
  });
}
