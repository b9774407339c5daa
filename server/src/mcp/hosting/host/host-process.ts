/**
 * The program of the host: it reads its socket's address from standard input, serves the servers that connect, and ends
 * with the process that started it, or when no server has used it for a while.
 */
import { rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { guarded, inBackground, logFaults } from '../../../watching/background.ts';
import { createLogger, logDestination } from '../../../watching/logger.ts';
import { watchUnownedFaults } from '../../../watching/unowned-faults.ts';
import type { HostStart } from '../boundary/wire.ts';
import { stepBehindServer } from './machine/priority.ts';
import { ProgramHost } from './program-host.ts';
import { serveHost } from './serve-host.ts';

/** Time for which programs wait for the next server, if that is allowed. */
const UNUSED_MILLISECONDS = 30_000;

process.umask(0o077);
stepBehindServer();
const logger = createLogger('warn', await logDestination('auto'));
logFaults(logger);
// A service manager signals all processes of a service. Only the server ends this one.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
const input = createInterface({ input: process.stdin });
input.once(
  'line',
  guarded(
    'the start of the host',
    (line: string) => serve(JSON.parse(line) as HostStart),
    () => process.exit(1),
  ),
);

function serve({ folder, socket, token, settings }: HostStart): void {
  const programs = new ProgramHost(settings);
  let unused: NodeJS.Timeout | undefined;
  const path = join('.', socket);
  const end = () =>
    inBackground('the end of the host', async () => {
      rmSync(path, { force: true });
      await programs.close().finally(() => process.exit());
    });
  const left = () => {
    if (programs.isUsed) return;
    if (!settings.outlivesServers || programs.isClosed) return end();
    clearTimeout(unused);
    unused = setTimeout(
      guarded('a check of an unused host', () => {
        if (!programs.isUsed) end();
      }),
      UNUSED_MILLISECONDS,
    );
  };
  watchUnownedFaults(logger, end);
  // The process that started it is gone, for whatever reason.
  input.once('close', guarded('the end of the keeper of a host', end));
  const server = createServer(
    guarded('a connection to the host', (connection: Socket) => serveHost(programs, connection, { token, left })),
  );
  // Paths of sockets must be short, so this one is relative to the folder.
  process.chdir(folder);
  server.listen(path);
}
