import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const repository = join(import.meta.dirname, '..', '..', '..');
const environment = join(repository, '.work', 'prefect-venv');

/** The SDK under test, and the libraries of it whose later versions it does not work with. */
const requirements = ['prefect==3.8.8', 'fastapi==0.139.2', 'sqlalchemy[asyncio]==2.0.58'];

/** Integrations that single scenarios are about; those that cannot be installed are done without. */
const integrations = ['prefect-dask==0.3.7'];

/** What cannot be had on this machine: the caller skips the scenarios and shows the message. */
export class PythonMissing extends Error {}

/**
 * The Python that runs the scenarios: SIGNALBOX_TEST_PYTHON, or a virtual environment with the SDK that is made once.
 * Throws PythonMissing without Python 3.10 or later, and Error when the SDK cannot be installed.
 */
export async function preparePython(say: (line: string) => void): Promise<string> {
  const named = process.env['SIGNALBOX_TEST_PYTHON'];
  if (named) {
    const version = sdkVersion(named);
    if (!version) throw new Error(`SIGNALBOX_TEST_PYTHON: ${named} cannot import prefect`);
    say(`Python of SIGNALBOX_TEST_PYTHON with Prefect ${version}`);
    return named;
  }

  const python = join(environment, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
  // Written last, so that an interrupted installation is done again and other requirements make a new environment.
  const marker = join(environment, `installed-${requirements.join('-').replaceAll(/[^\w.=-]/g, '')}`);
  if (existsSync(marker) && existsSync(python)) {
    await installIntegrations(python, say);
    return python;
  }

  const base = ['python3', 'python'].find(isRecentPython);
  if (!base) throw new PythonMissing('Python 3.10 or later is missing: install it, or set SIGNALBOX_TEST_PYTHON');
  say(`making ${environment} with ${requirements.join(', ')} (once; a few minutes at most)`);
  await rm(environment, { recursive: true, force: true });
  await mkdir(dirname(environment), { recursive: true });
  await run(base, ['-m', 'venv', environment]);
  await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...requirements]);
  await writeFile(marker, '');
  await installIntegrations(python, say);
  return python;
}

/** Adds what is missing of the integrations, once; the SDK itself stays as it is. */
async function installIntegrations(python: string, say: (line: string) => void): Promise<void> {
  for (const integration of integrations) {
    const marker = join(environment, `tried-${integration}`);
    if (existsSync(marker)) continue;
    const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', integration, ...requirements];
    await run(python, install).catch((cause: Error) => say(`without ${integration}: ${cause.message}`));
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
