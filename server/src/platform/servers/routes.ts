import { platformRoute } from '../../http/platform-route.ts';
import { created, noContent, ok } from '../../http/route.ts';
import { grantRoutes } from '../grants/routes.ts';
import { pageQuery, readPage } from '../page.ts';
import { seeServer, serverFor } from './access.ts';
import { capabilitiesOf, listedRole, previewAccess, rulesOf, serverOf } from './answers.ts';
import { refreshManifest } from './manifests.ts';
import { changeServer, createServer, deleteServer, putPolicy } from './operations.ts';
import { listVisibleServers } from './queries.ts';
import {
  AccessPreview,
  Capabilities,
  PolicyAnswer,
  PolicyPut,
  previewQuery,
  Server,
  ServerCreate,
  ServerList,
  ServerUpdate,
} from './schema.ts';

const collection = '/organizations/{org}/servers';
const one = `${collection}/{server}`;
const tags = ['Servers'];
const ofCollection = { tags, access: 'organization:member', parameters: { org: 'text' } } as const;
const ofOne = { tags, access: 'organization:member', parameters: { org: 'text', server: 'text' } } as const;

export const serverRoutes = [
  platformRoute({
    ...ofCollection,
    method: 'GET',
    path: collection,
    operationId: 'listServers',
    summary: 'The MCP servers that the caller has a role in, and those that are discoverable.',
    query: pageQuery,
    responses: { 200: ServerList },
    handler: async ({ context, query }) => {
      const { organization, caller, db } = context;
      const scope = {
        organization_id: organization.id,
        organization_role: organization.role,
        actor_id: caller.actor.id,
      };
      const read = (position: { cursor: string; limit: number }) =>
        db.all(listVisibleServers, { ...scope, ...position });
      return ok(await readPage(query, 'ascending', read, (row) => serverOf(context, row, listedRole(context, row))));
    },
  }),
  platformRoute({
    ...ofCollection,
    access: 'organization:admin',
    method: 'POST',
    path: collection,
    operationId: 'createServer',
    conflicts: ['slug_taken'],
    summary: 'Registers an MCP server; clients reach it at its serving URL. An external one is asked what it offers.',
    body: ServerCreate,
    responses: { 201: Server },
    handler: async ({ context, body }) => {
      const row = await createServer(context, body);
      return created(serverOf(context, body.external ? await refreshManifest(context.server, row) : row, 'admin'));
    },
  }),
  platformRoute({
    ...ofOne,
    method: 'GET',
    path: one,
    operationId: 'readServer',
    summary: 'One server, by id or slug.',
    responses: { 200: Server },
    handler: async ({ context, path }) => {
      const { row, role } = await seeServer(context, path.server, 'viewer');
      return ok(serverOf(context, row, role));
    },
  }),
  platformRoute({
    ...ofOne,
    method: 'PATCH',
    path: one,
    operationId: 'updateServer',
    conflicts: ['slug_taken'],
    summary: 'Changes what is given of a server. Access, visibility and authentication are for its administrators.',
    body: ServerUpdate,
    responses: { 200: Server },
    handler: async ({ context, path, body }) => {
      const forAdministrators =
        body.visibility !== undefined ||
        body.defaultRole !== undefined ||
        body.authentication !== undefined ||
        body.deniedAs !== undefined;
      const { row, role } = await seeServer(context, path.server, forAdministrators ? 'admin' : 'editor');
      const changed = await changeServer(context, row.id, body);
      return ok(serverOf(context, body.external ? await refreshManifest(context.server, changed) : changed, role));
    },
  }),
  platformRoute({
    ...ofOne,
    method: 'DELETE',
    path: one,
    operationId: 'deleteServer',
    summary: 'Deletes the server; its serving URL maps to nothing from then on.',
    responses: { 204: null },
    handler: async ({ context, path }) => {
      await deleteServer(context, await serverFor(context, path.server, 'admin'));
      return noContent;
    },
  }),
  platformRoute({
    ...ofOne,
    method: 'GET',
    path: `${one}/policy`,
    operationId: 'readServerPolicy',
    summary: 'Which capabilities whom is allowed. Without a rule nothing is filtered.',
    responses: { 200: PolicyAnswer },
    handler: async ({ context, path }) => {
      const row = await serverFor(context, path.server, 'admin');
      return ok({ version: row.policy_version, rules: rulesOf(row) });
    },
  }),
  platformRoute({
    ...ofOne,
    method: 'PUT',
    path: `${one}/policy`,
    operationId: 'setServerPolicy',
    summary: 'Replaces the rules, in force at the next request. With a rule, what none matches is denied.',
    body: PolicyPut,
    responses: { 200: PolicyAnswer },
    handler: async ({ context, path, body }) =>
      ok(await putPolicy(context, await serverFor(context, path.server, 'admin'), body)),
  }),
  platformRoute({
    ...ofOne,
    method: 'GET',
    path: `${one}/capabilities`,
    operationId: 'readServerCapabilities',
    summary: 'The tools, resources and prompts that were discovered, as far as the caller may use them.',
    responses: { 200: Capabilities },
    handler: async ({ context, path }) => {
      const { row, role } = await seeServer(context, path.server, 'viewer');
      return ok(capabilitiesOf(row, context.caller.actor.id, role));
    },
  }),
  platformRoute({
    ...ofOne,
    method: 'POST',
    path: `${one}/capabilities/refresh`,
    operationId: 'refreshServerCapabilities',
    summary: 'Asks the server anew what it offers.',
    responses: { 200: Capabilities },
    handler: async ({ context, path }) => {
      const { row, role } = await seeServer(context, path.server, 'editor');
      return ok(capabilitiesOf(await refreshManifest(context.server, row), context.caller.actor.id, role));
    },
  }),
  platformRoute({
    ...ofOne,
    method: 'GET',
    path: `${one}/access-preview`,
    operationId: 'previewServerAccess',
    summary: 'The role of an actor in the server, and what the policy says of each capability, with reasons.',
    query: previewQuery,
    responses: { 200: AccessPreview },
    handler: async ({ context, path, query }) =>
      ok(await previewAccess(context, await serverFor(context, path.server, 'admin'), query.actorId)),
  }),
  ...grantRoutes({
    tags,
    path: one,
    parameter: 'server',
    parameterKind: 'text',
    name: 'Server',
    resourceFor: async (context, server) => {
      const { id, name } = await serverFor(context, server, 'admin');
      return { type: 'server', id, name };
    },
  }),
];
