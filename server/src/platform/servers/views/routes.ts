/** The screens of the dashboard about MCP servers. They show only facts that the other routes would show. */
import { FieldValues } from '../../../database/lists/where-schema.ts';
import { bounds, fileOf } from '../../../http/routes/file.ts';
import { organizationRoutes } from '../../../http/routes/platform-routes.ts';
import { pageQuery } from '../../page.ts';
import { readCatalog } from './catalog.ts';
import { readRequestsExport, readRequestsValues, readRequestsView } from './requests.ts';
import {
  CatalogView,
  RequestsView,
  requestsExportQuery,
  requestsQuery,
  requestValuesQuery,
  ServerView,
} from './schema.ts';
import { readServerView } from './server.ts';

const { get } = organizationRoutes('Views', 'member');

export const serverViewRoutes = [
  get('/views/servers', 'readCatalogView', {
    summary: 'Read the catalog of MCP servers',
    description:
      'The servers in which the caller has a role and the discoverable ones. For editors also the figures of the last 24 hours and the state of hosted programs.',
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
      'Records of the servers of which the caller is an editor, or of the one that `server` names by id or slug, newest first. The first page also counts all matching requests by time, owner, server and capability. Default: the last day.',
    query: requestsQuery,
    answers: RequestsView,
    handler: ({ context, query }) => readRequestsView(context, query),
  }),
  get('/views/requests/export', 'exportRequests', {
    summary: 'Export requests to MCP servers',
    description: `Every request that the list with these filters has, newest first, as comma-separated values or as JSON lines. A cell that a spreadsheet would read as a formula begins with an apostrophe. ${bounds}`,
    query: requestsExportQuery,
    responses: { 200: null },
    handler: async ({ context, query }) => fileOf('requests', query.format, await readRequestsExport(context, query)),
  }),
  get('/views/requests/values', 'readRequestValues', {
    summary: 'Suggest values for a filter of requests',
    description:
      'The values of `field` that contain `text`, with the number of requests that have them under all other filters of the list. The fields are those of `where`.',
    query: requestValuesQuery,
    answers: FieldValues,
    handler: ({ context, query }) => readRequestsValues(context, query),
  }),
];
