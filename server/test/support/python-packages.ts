/** Python packages for a suite, each in a virtual environment below `.work` that is created once. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const work = join(import.meta.dirname, '../../../.work');

/** A program is missing on this machine: the suite is skipped and shows the message. */
export class ProgramMissing extends Error {}

/**
 * The folder with the programs of a package, such as `fastmcp==4.1.2`. Throws ProgramMissing without Python, and Error
 * when the package cannot be installed.
 */
export async function preparePackage(name: string, requirement: string, say: (line: string) => void): Promise<string> {
  const environment = join(work, `${name}-venv`);
  const programs = join(environment, 'bin');
  // Written last, so that an interrupted installation is repeated.
  const marker = join(environment, `installed-${requirement}`);
  if (existsSync(marker)) return programs;
  if (spawnSync('python3', ['-c', 'import venv, ensurepip']).status !== 0) {
    throw new ProgramMissing('Python 3 with venv is missing');
  }
  say(`making ${environment} with ${requirement} (once)`);
  await rm(environment, { recursive: true, force: true });
  await mkdir(environment, { recursive: true });
  for (const [command, ...argv] of [
    ['python3', '-m', 'venv', environment],
    [join(programs, 'pip'), 'install', '--quiet', '--disable-pip-version-check', requirement],
  ] as const) {
    const { status, stderr } = spawnSync(command, argv, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`${command} ${argv.join(' ')}: ${stderr}`);
  }
  await writeFile(marker, '');
  return programs;
}
