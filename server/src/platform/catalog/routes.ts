/** Routes of the catalog: what MCP servers there are, how to reach them, and files of the MCP registry. */
import { platformRoute } from '../../http/platform-route.ts';
import { created, ok } from '../../http/route.ts';
import { jsonTextOf } from '../../json.ts';
import { JsonObject } from '../../schema/kinds.ts';
import { findSeenServer } from '../servers/access.ts';
import { serverOf } from '../servers/answers.ts';
import { refreshManifest } from '../servers/manifests.ts';
import { Server } from '../servers/schema.ts';
import { readCatalog, readCatalogServer } from './entries.ts';
import { importServer } from './import.ts';
import { Catalog, CatalogServer, catalogQuery, ServerImport } from './schema.ts';
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
  platformRoute({
    ...ofCatalog,
    access: 'organization:admin',
    method: 'POST',
    path: '/organizations/{org}/server-imports',
    operationId: 'importServer',
    summary: 'Import an MCP server from a registry file',
    description:
      'Registers an external server with the first `streamable-http` remote of a file of the MCP registry, its variables filled in, and its headers stored encrypted. Without one, its first package of npm or PyPI that speaks over standard input and output becomes a hosted server, whose first build starts at once. 422 says why a file cannot be imported: `packages_not_supported`, `transport_not_supported`, `no_remote`, `schema_not_supported`, `headers_not_supported`, `variable_missing`, `header_missing`, `header_unknown`, `environment_missing`, `environment_unknown`, `argument_missing`, `argument_unknown`, `value_not_allowed`, `secret_in_address`. 409 `slug_taken`.',
    conflicts: ['slug_taken'],
    body: ServerImport,
    responses: { 201: Server },
    handler: async ({ context, body }) => {
      const row = await importServer(context, body);
      const read = row.kind === 'hosted' ? row : await refreshManifest(context.server, row);
      return created(serverOf(context, read, 'admin'));
    },
  }),
];
