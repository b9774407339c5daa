import { organizationRoutes } from '../../http/routes/platform-routes.ts';
import { workspaceFor } from '../workspaces/access.ts';
import { loadSamplePolicy, removeSamplePolicy } from './sample-policy.ts';
import { FirstServers, firstServersQuery } from './schema.ts';
import { readFirstServers } from './state.ts';

const { get, put, remove } = organizationRoutes('First hour', 'member');

export const firstServerRoutes = [
  get('/views/first-servers', 'readFirstServers', {
    summary: 'Read the first MCP server and its first call',
    description:
      'Each is null until it arrives. It also says what keeps a first server from working: hosting that is off, private addresses that are refused, and the error of the newest server.',
    query: firstServersQuery,
    answers: FirstServers,
    handler: ({ context, query }) => readFirstServers(context, query.workspace),
  }),
  put('/workspaces/{id}/sample-policy', 'loadSamplePolicy', {
    summary: 'Load the policy of the sample',
    description:
      'Puts rules on the built-in server of the workspace: viewers and editors may use everything but the tool that cancels runs. A server that has rules keeps them. For administrators of the server.',
    handler: async ({ context, path }) => loadSamplePolicy(context, await workspaceFor(context, path.id, 'admin')),
  }),
  remove('/workspaces/{id}/sample-policy', 'removeSamplePolicy', {
    summary: 'Remove the policy of the sample',
    description: 'Removes its rules. Rules that were stored since then stay. For administrators of the server.',
    handler: async ({ context, path }) => removeSamplePolicy(context, await workspaceFor(context, path.id, 'admin')),
  }),
];
