import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../support/free-port.ts';
import { cleanEnvironment, launch, type RunningServer } from './process.ts';

const run = promisify(execFile);
/** The two libraries are pinned because the reference's answers depend on them, and its own ranges are wide. */
const PACKAGES = ['prefect==3.8.8', 'fastapi==0.139.2', 'sqlalchemy[asyncio]==2.0.58'];

/**
 * Starts the reference server with an empty SQLite database in `folder`. Services that act by themselves are off, so that
 * nothing happens between two requests; events and task runs are recorded quickly.
 */
export async function startReference(repository: string, folder: string): Promise<RunningServer> {
  const python = process.env.SIGNALBOX_TEST_REFERENCE_PYTHON ?? (await virtualEnvironment(repository));
  const home = join(folder, 'reference');
  await mkdir(home, { recursive: true });
  const port = await freePort();
  return launch({
    name: 'reference server',
    command: python,
    args: ['-m', 'prefect', 'server', 'start', '--host', '127.0.0.1', '--port', String(port)],
    cwd: home,
    port,
    log: join(folder, 'reference.log'),
    env: cleanEnvironment({
      PREFECT_HOME: home,
      PREFECT_SERVER_MEMO_STORE_PATH: join(home, 'memo.toml'),
      PREFECT_SERVER_ANALYTICS_ENABLED: 'false',
      PREFECT_SERVER_UI_ENABLED: 'false',
      PREFECT_LOGGING_SERVER_LEVEL: 'WARNING',
      PREFECT_SERVER_DATABASE_TIMEOUT: '10',
      PREFECT_SERVER_SERVICES_EVENT_PERSISTER_FLUSH_INTERVAL: '0.3',
      PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_FLUSH_INTERVAL: '0.3',
      PREFECT_SERVER_SERVICES_SCHEDULER_ENABLED: 'false',
      PREFECT_SERVER_SERVICES_LATE_RUNS_ENABLED: 'false',
      PREFECT_SERVER_SERVICES_PAUSE_EXPIRATIONS_ENABLED: 'false',
      PREFECT_SERVER_SERVICES_CANCELLATION_CLEANUP_ENABLED: 'false',
      PREFECT_SERVER_SERVICES_FOREMAN_ENABLED: 'false',
      PREFECT_SERVER_SERVICES_REPOSSESSOR_ENABLED: 'false',
      PREFECT_SERVER_SERVICES_TRIGGERS_ENABLED: 'false',
    }),
  });
}

/** The python of `.work/reference-venv`, which is made on the first run (about a minute, about 400 MB). */
async function virtualEnvironment(repository: string): Promise<string> {
  const folder = join(repository, '.work', 'reference-venv');
  const python = join(folder, 'bin', 'python');
  const ready = join(folder, 'bin', 'prefect');
  if (existsSync(ready)) return python;
  const base = await findPython();
  process.stderr.write(`Installing the reference server into ${folder} ...\n`);
  await run(base, ['-m', 'venv', '--clear', folder]);
  await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...PACKAGES], {
    maxBuffer: 64 * 1024 * 1024,
  });
  return python;
}

async function findPython(): Promise<string> {
  const enough = 'import sys; sys.exit(not (3, 10) <= sys.version_info < (3, 15))';
  for (const name of ['python3.12', 'python3.13', 'python3.11', 'python3.10', 'python3', 'python']) {
    try {
      await run(name, ['-c', `${enough}`]);
      return name;
    } catch {
      // Not there, or another version.
    }
  }
  throw new Error(
    'No Python from 3.10 on was found, which the reference server needs. SIGNALBOX_TEST_REFERENCE_PYTHON may name one that has prefect.',
  );
}
