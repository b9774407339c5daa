/** Routes of the catalog: the MCP servers of an organization, how to reach them, and their registry files. */
import { organizationRoutes } from '../../http/routes/platform-routes.ts';
import { JsonObject } from '../../schema/kinds.ts';
import { jsonTextOf } from '../../values/json.ts';
import { findSeenServer } from '../servers/server/access.ts';
import { readCatalog, readCatalogServer } from './entries.ts';
import { Catalog, CatalogServer, catalogQuery } from './schema.ts';
import { serverJsonOf } from './server-json.ts';

const { get } = organizationRoutes('Catalog', 'member');

export const catalogRoutes = [
  get('/catalog', 'listCatalog', {
    summary: 'List the MCP servers that the caller may discover',
    description:
      'The servers in which the caller has a role, and the discoverable ones, to which a person can request access. `name` also searches slugs and descriptions.',
    query: catalogQuery,
    answers: Catalog,
    handler: ({ context, query }) => readCatalog(context, query),
  }),
  get('/catalog/{server}', 'readCatalogServer', {
    summary: 'Read the catalog entry of an MCP server',
    description:
      'The tools that the caller may use and, for each of the usual clients, a text to paste and a link that adds the server. Without a role: the entry of the list and the last request for access.',
    answers: CatalogServer,
    handler: ({ context, path }) => readCatalogServer(context, path.server),
  }),
  get('/catalog/{server}/server.json', 'readServerJson', {
    summary: 'Read the registry file of an MCP server',
    description:
      'The server in the format of the MCP registry (schema 2025-12-11), with its serving URL as the remote and the header for a key.',
    answers: JsonObject(),
    handler: async ({ context, path }) => {
      const { row } = await findSeenServer(context, path.server);
      return jsonTextOf(serverJsonOf(context, row));
    },
  }),
];
