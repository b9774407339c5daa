import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort, launch, type RunningServer } from './process.ts';

/** What `server/test/support/postgres.ts` gives. */
interface PostgresModule {
  startPostgres(): Promise<{ readonly url: string; stop(): Promise<void> }>;
}

/** Starts Signalbox from this checkout with an empty database and without services that act by themselves. */
export async function startSignalbox(
  repository: string,
  folder: string,
  database: 'sqlite' | 'postgres',
): Promise<RunningServer> {
  const home = join(folder, 'signalbox');
  await mkdir(home, { recursive: true });
  const port = await freePort();
  const postgres = database === 'postgres' ? await startPostgres() : undefined;
  try {
    const server = await launch({
      name: 'Signalbox server',
      command: process.execPath,
      args: [join(repository, 'server/src/main.ts'), 'server', 'start'],
      cwd: home,
      port,
      log: join(folder, 'signalbox.log'),
      env: {
        ...process.env,
        SIGNALBOX_SERVICES: 'none',
        SIGNALBOX_PORT: String(port),
        SIGNALBOX_HOME: home,
        SIGNALBOX_DATABASE_URL: postgres?.url ?? `sqlite:${join(home, 'signalbox.db')}`,
      },
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

async function startPostgres(): ReturnType<PostgresModule['startPostgres']> {
  const module: PostgresModule = await import(new URL('../../support/postgres.ts', import.meta.url).href);
  return module.startPostgres();
}
