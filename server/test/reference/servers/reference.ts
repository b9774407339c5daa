import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { NEWEST_CLIENT, prepareClient } from '../../prefect/python.ts';
import { freePort } from '../../support/free-port.ts';
import { cleanEnvironment, launch, type RunningServer } from './process.ts';

/**
 * Starts the reference server with an empty SQLite database in `folder`. Services that act without a request are off,
 * so that nothing happens between two requests, but for triggers where they are asked for; events and task runs are recorded
 * quickly.
 */
export async function startReference(folder: string, triggers = false): Promise<RunningServer> {
  const python = process.env.SIGNALBOX_TEST_REFERENCE_PYTHON ?? (await prepareClient(say, NEWEST_CLIENT));
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
      PREFECT_SERVER_SERVICES_TRIGGERS_ENABLED: String(triggers),
    }),
  });
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
