import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../support/free-port.ts';
import { startPostgres } from '../../support/postgres.ts';
import { cleanEnvironment, launch, type RunningServer } from './process.ts';

/** Starts Signalbox from this checkout with an empty database and with no service that acts without a request but these. */
export async function startSignalbox(
  repository: string,
  folder: string,
  database: 'sqlite' | 'postgres',
  services = 'none',
): Promise<RunningServer> {
  const home = join(folder, 'signalbox');
  await mkdir(home, { recursive: true });
  const port = await freePort();
  const postgres = database === 'postgres' ? await startPostgres() : undefined;
  if (database === 'postgres' && !postgres) throw new Error('PostgreSQL 15 or newer is not installed here.');
  try {
    const databaseUrl = (await postgres?.createDatabase()) ?? `sqlite:${join(home, 'signalbox.db')}`;
    const server = await launch({
      name: 'Signalbox server',
      command: process.execPath,
      args: [join(repository, 'server/src/main.js'), 'server', 'start'],
      cwd: home,
      port,
      log: join(folder, 'signalbox.log'),
      env: cleanEnvironment({
        SIGNALBOX_SERVICES: services,
        SIGNALBOX_PORT: String(port),
        SIGNALBOX_HOME: home,
        SIGNALBOX_DATABASE_URL: databaseUrl,
      }),
    });
    return {
      url: server.url,
      async stop() {
        await server.stop();
        await postgres?.stop();
      },
    };
  } catch (error) {
    await postgres?.stop();
    throw error;
  }
}
