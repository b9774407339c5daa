import { platformRoute } from '../../http/platform-route.ts';
import { noContent, ok } from '../../http/route.ts';
import { processOutput } from '../../mcp/hosting/output/stored-output.ts';
import { hostedServerFor } from '../servers/hosted-access.ts';
import { processOf, restartServer, startServer, stopServer } from './operations.ts';
import { readOutput } from './output-page.ts';
import { OutputPage, outputQuery, Process } from './schema.ts';

const one = '/organizations/{org}/servers/{server}';
const ofOne = {
  tags: ['Hosted servers'],
  access: 'organization:member',
  parameters: { org: 'text', server: 'text' },
} as const;

export const serverProcessRoutes = [
  platformRoute({
    ...ofOne,
    method: 'GET',
    path: `${one}/process-logs`,
    operationId: 'readServerProcessLogs',
    summary: 'Read the output of processes',
    description:
      'The lines that the processes of a hosted server printed, newest last. Old lines are dropped beyond a fixed size.',
    conflicts: ['not_hosted'],
    query: outputQuery,
    responses: { 200: OutputPage },
    handler: async ({ context, path, query }) => {
      const { id } = await hostedServerFor(context, path.server, 'editor');
      return ok(await readOutput(context.db, processOutput, id, query));
    },
  }),
  platformRoute({
    ...ofOne,
    method: 'GET',
    path: `${one}/process`,
    operationId: 'readServerProcess',
    summary: 'Read the state of processes',
    description:
      'The state of a hosted server in the replica that answers: running, starting, waiting to be started again (in seconds), or stopped. `stoppedAt` is set while requests do not start it.',
    conflicts: ['not_hosted'],
    responses: { 200: Process },
    handler: async ({ context, path }) => {
      return ok(processOf(context, await hostedServerFor(context, path.server, 'editor')));
    },
  }),
  platformRoute({
    ...ofOne,
    method: 'POST',
    path: `${one}/process/restart`,
    operationId: 'restartServerProcess',
    summary: 'Restart the process of a server',
    description:
      'Requests from now on get a new process, in the replica that answers; those under way finish with the old one.',
    conflicts: ['not_hosted'],
    responses: { 204: null },
    handler: async ({ context, path }) => {
      await restartServer(context, await hostedServerFor(context, path.server, 'editor'));
      return noContent;
    },
  }),
  platformRoute({
    ...ofOne,
    method: 'POST',
    path: `${one}/process/stop`,
    operationId: 'stopServerProcess',
    summary: 'Stop a hosted server until it is started',
    description:
      'Requests under way finish; later ones get 503, on every replica, until the server is started again. A server that is stopped stays so.',
    conflicts: ['not_hosted'],
    responses: { 204: null },
    handler: async ({ context, path }) => {
      await stopServer(context, await hostedServerFor(context, path.server, 'editor'));
      return noContent;
    },
  }),
  platformRoute({
    ...ofOne,
    method: 'POST',
    path: `${one}/process/start`,
    operationId: 'startServerProcess',
    summary: 'Start a hosted server that was stopped',
    description:
      'Requests reach it again; the first one starts its program. A server that is not stopped stays as it is.',
    conflicts: ['not_hosted'],
    responses: { 204: null },
    handler: async ({ context, path }) => {
      await startServer(context, await hostedServerFor(context, path.server, 'editor'));
      return noContent;
    },
  }),
];
