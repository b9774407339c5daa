/** Routes of the catalog: what MCP servers there are, how to reach them, and their registry files. */
import { platformRoute } from '../../http/platform-route.ts';
import { ok } from '../../http/route.ts';
import { jsonTextOf } from '../../json.ts';
import { JsonObject } from '../../schema/kinds.ts';
import { findSeenServer } from '../servers/access.ts';
import { readCatalog, readCatalogServer } from './entries.ts';
import { Catalog, CatalogServer, catalogQuery } from './schema.ts';
import { serverJsonOf } from './server-json.ts';

const path = '/organizations/{org}/catalog';
const tags = ['Catalog'];
const ofCatalog = { tags, access: 'organization:member', parameters: { org: 'text' } } as const;
const ofOne = { tags, access: 'organization:member', parameters: { org: 'text', server: 'text' } } as const;

export const catalogRoutes = [
  platformRoute({
    ...ofCatalog,
    method: 'GET',
    path,
    operationId: 'listCatalog',
    summary: 'List the MCP servers that the caller may discover',
    description:
      'The servers that the caller has a role in, and the discoverable ones, for which a person can ask for access. `name` also looks into slugs and descriptions.',
    query: catalogQuery,
    responses: { 200: Catalog },
    handler: async ({ context, query }) => ok(await readCatalog(context, query)),
  }),
  platformRoute({
    ...ofOne,
    method: 'GET',
    path: `${path}/{server}`,
    operationId: 'readCatalogServer',
    summary: 'Read an MCP server as the catalog shows it',
    description:
      'The tools that the caller may use, and for each of the usual clients what to paste and a link that adds the server there. Without a role: what the list says, and the last request for access.',
    responses: { 200: CatalogServer },
    handler: async ({ context, path }) => ok(await readCatalogServer(context, path.server)),
  }),
  platformRoute({
    ...ofOne,
    method: 'GET',
    path: `${path}/{server}/server.json`,
    operationId: 'readServerJson',
    summary: 'Read the registry file of an MCP server',
    description:
      'The server in the format of the MCP registry (schema 2025-12-11), with its serving URL as the remote and the header for a key.',
    responses: { 200: JsonObject() },
    handler: async ({ context, path }) => {
      const { row } = await findSeenServer(context, path.server);
      return ok(jsonTextOf(serverJsonOf(context, row)));
    },
  }),
];
