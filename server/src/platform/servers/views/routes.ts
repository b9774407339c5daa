/** The screens of the dashboard about MCP servers. They show only facts that the other routes would show. */
import { organizationRoutes } from '../../../http/routes/platform-routes.ts';
import { pageQuery } from '../../page.ts';
import { readCatalog } from './catalog.ts';
import { readRequestsView } from './requests.ts';
import { CatalogView, RequestsView, requestsQuery, ServerView } from './schema.ts';
import { readServerView } from './server.ts';

const { get } = organizationRoutes('Views', 'member');

export const serverViewRoutes = [
  get('/views/servers', 'readCatalogView', {
    summary: 'Read the catalog of MCP servers',
    description:
      'The servers that the caller has a role in and those that are discoverable, with the figures of the last 24 hours and the state of hosted programs for editors.',
    query: pageQuery,
    answers: CatalogView,
    handler: ({ context, query }) => readCatalog(context, query),
  }),
  get('/views/servers/{server}', 'readServerView', {
    summary: 'Read an MCP server with its figures',
    description:
      'One server with the capabilities that the caller may use and, for editors, the figures and failures of the last 24 hours, the latest build and the live deployment.',
    answers: ServerView,
    handler: ({ context, path }) => readServerView(context, path.server),
  }),
  get('/views/requests', 'readRequestsView', {
    summary: 'Read requests to MCP servers with their sums',
    description:
      'Records of the servers that the caller edits, or of the one that `server` names by id or slug, newest first. The first page also counts all matching requests by time, owner, server and capability. The last day unless `since` and `until` say otherwise.',
    query: requestsQuery,
    answers: RequestsView,
    handler: ({ context, query }) => readRequestsView(context, query),
  }),
];
