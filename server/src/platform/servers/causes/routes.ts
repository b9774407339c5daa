/** Routes of the causes of failed requests to MCP servers. */
import { organizationRoutes } from '../../../http/routes/platform-routes.ts';
import type { Timestamp } from '../../../values/time.ts';
import { readServerCause, readServerCauses, updateServerCause } from './operations.ts';
import { ServerFailureCause, ServerFailureCauses, ServerFailureCauseUpdate, serverCausesQuery } from './schema.ts';

const { get, patch } = organizationRoutes('Servers', 'member');

const MOST_LISTED = 200;
const START_OF_TIME = '0001-01-01T00:00:00.000000Z' as Timestamp;

export const serverCauseRoutes = [
  get('/server-failure-causes', 'listServerFailureCauses', {
    summary: 'List the causes of failed requests',
    description:
      'The failures of requests to the servers that the caller edits, by server and kind. They stay when the records of the requests are deleted. Failures that the caller of the server can end, such as a denied request, are not among them.',
    query: serverCausesQuery,
    answers: ServerFailureCauses,
    handler: async ({ context, query }) => ({
      items: await readServerCauses(context, { shelf: query.shelf, since: START_OF_TIME, limit: MOST_LISTED }),
    }),
  }),
  get('/server-failure-causes/{id}', 'readServerFailureCause', {
    summary: 'Read a cause of failed requests',
    description: 'One cause, for editors of its server. 404 when there is none.',
    answers: ServerFailureCause,
    handler: ({ context, path }) => readServerCause(context, path.id),
  }),
  patch('/server-failure-causes/{id}', 'updateServerFailureCause', {
    summary: 'Mute, resolve or take over a cause of failed requests',
    description: 'Parts that are left out stay. For editors of the server. 404 when there is none.',
    body: ServerFailureCauseUpdate,
    answers: ServerFailureCause,
    handler: ({ context, path, body }) => updateServerCause(context, path.id, body),
  }),
];
