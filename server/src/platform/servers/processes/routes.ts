import { organizationRoutes } from '../../../http/routes/platform-routes.ts';
import { processOutput } from '../../../mcp/hosting/output/stored-output.ts';
import { hostedServerFor } from '../server/hosted-access.ts';
import { processOf, restartServer, startServer, stopServer } from './operations.ts';
import { readOutput } from './output-page.ts';
import { OutputPage, outputQuery, Process } from './schema.ts';

const { get, post } = organizationRoutes('Hosted servers', 'member');

export const serverProcessRoutes = [
  get('/servers/{server}/process-logs', 'readServerProcessLogs', {
    summary: 'Read the output of processes',
    description:
      'The lines that the processes of a hosted server printed, newest last. The oldest lines are dropped beyond a fixed size.',
    conflicts: ['not_hosted'],
    query: outputQuery,
    answers: OutputPage,
    handler: async ({ context, path, query }) => {
      const { id } = await hostedServerFor(context, path.server, 'editor');
      return readOutput(context.db, processOutput, id, query);
    },
  }),
  get('/servers/{server}/process', 'readServerProcess', {
    summary: 'Read the state of processes',
    description:
      'The state of a hosted server, wherever it runs: running, starting, waiting to be started again (in seconds), or stopped. `stoppedAt` is set while the server is stopped and requests do not start it.',
    conflicts: ['not_hosted'],
    answers: Process,
    handler: async ({ context, path }) => processOf(context, await hostedServerFor(context, path.server, 'editor')),
  }),
  post('/servers/{server}/process/restart', 'restartServerProcess', {
    summary: 'Restart the process of a server',
    description: 'New requests get a new process. Active ones finish with the old process.',
    conflicts: ['not_hosted'],
    handler: async ({ context, path }) =>
      await restartServer(context, await hostedServerFor(context, path.server, 'editor')),
  }),
  post('/servers/{server}/process/stop', 'stopServerProcess', {
    summary: 'Stop a hosted server until it is started',
    description:
      'Active requests finish. Later ones get 503, on every replica, until the server is started again. A stopped server does not change.',
    conflicts: ['not_hosted'],
    handler: async ({ context, path }) =>
      await stopServer(context, await hostedServerFor(context, path.server, 'editor')),
  }),
  post('/servers/{server}/process/start', 'startServerProcess', {
    summary: 'Start a hosted server that was stopped',
    description:
      'Requests reach the server again; the first one starts its program. A server that is not stopped does not change.',
    conflicts: ['not_hosted'],
    handler: async ({ context, path }) =>
      await startServer(context, await hostedServerFor(context, path.server, 'editor')),
  }),
];
