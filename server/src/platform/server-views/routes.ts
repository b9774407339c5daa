/** The screens of the dashboard about MCP servers. They show nothing that the other routes would refuse. */
import { platformRoute } from '../../http/platform-route.ts';
import { ok } from '../../http/route.ts';
import { pageQuery } from '../page.ts';
import { readCatalog } from './catalog.ts';
import { readRequestsView } from './requests.ts';
import { CatalogView, RequestsView, requestsQuery, ServerView } from './schema.ts';
import { readServerView } from './server.ts';

const views = '/organizations/{org}/views';
const common = {
  tags: ['Views'],
  access: 'organization:member',
  method: 'GET',
  parameters: { org: 'text' },
} as const;

export const serverViewRoutes = [
  platformRoute({
    ...common,
    path: `${views}/servers`,
    operationId: 'readCatalogView',
    summary: 'Read the catalog of MCP servers',
    description:
      'The servers that the caller has a role in and those that are discoverable, with the figures of the last 24 hours and the state of hosted programs for editors.',
    query: pageQuery,
    responses: { 200: CatalogView },
    handler: async ({ context, query }) => ok(await readCatalog(context, query)),
  }),
  platformRoute({
    ...common,
    parameters: { org: 'text', server: 'text' },
    path: `${views}/servers/{server}`,
    operationId: 'readServerView',
    summary: 'Read an MCP server with its figures',
    description:
      'One server with the capabilities that the caller may use and, for editors, the figures and failures of the last 24 hours, the latest build and the live deployment.',
    responses: { 200: ServerView },
    handler: async ({ context, path }) => ok(await readServerView(context, path.server)),
  }),
  platformRoute({
    ...common,
    path: `${views}/requests`,
    operationId: 'readRequestsView',
    summary: 'Read requests to MCP servers with their sums',
    description:
      'Records of the servers that the caller edits, or of the one that `server` names by id or slug, newest first. The first page also counts all matching requests by time, owner, server and capability. The last day unless `since` and `until` say otherwise.',
    query: requestsQuery,
    responses: { 200: RequestsView },
    handler: async ({ context, query }) => ok(await readRequestsView(context, query)),
  }),
];
