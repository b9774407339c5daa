import { Forbidden, NamedConflict } from '../../errors.ts';
import { platformRoute } from '../../http/platform-route.ts';
import { created, noContent, ok } from '../../http/route.ts';
import type { OrganizationContext } from '../../platform-context.ts';
import { grantRoutes } from '../grants/routes.ts';
import { namedPageQuery, readPage } from '../page.ts';
import { seeServer, serverFor } from './access.ts';
import { capabilitiesOf, listedRole, previewAccess, rulesOf, serverOf } from './answers.ts';
import { testConnection } from './connection-test.ts';
import { callerOf, refreshManifest } from './manifests.ts';
import { changeServer, createServer, deleteServer, putPolicy } from './operations.ts';
import { previewPolicy } from './policy-preview.ts';
import { listVisibleServers, type ServerRow } from './queries.ts';
import { previewRemix } from './remix-preview.ts';
import { RemixPreview, RemixPreviewBody } from './remix-schema.ts';
import {
  AccessPreview,
  Capabilities,
  ConnectionTestBody,
  ConnectionTestResult,
  PolicyAnswer,
  PolicyPreview,
  PolicyPreviewBody,
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
    summary: 'List MCP servers',
    description: 'The servers that the caller has a role in, and those that are discoverable.',
    query: namedPageQuery,
    responses: { 200: ServerList },
    handler: async ({ context, query }) => {
      const { organization, caller, db } = context;
      const scope = {
        organization_id: organization.id,
        organization_role: organization.role,
        actor_id: caller.actor.id,
        text: query.name,
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
    summary: 'Register an MCP server',
    description:
      'An `external` server is somewhere else and is asked what it offers; a `hosted` one runs here once it has a build. A `remix` offers chosen capabilities of other servers. Clients reach all of them at the serving URL. No answer contains stored credentials. 409 `slug_taken` when the slug is in use, and `capability_conflict` when two capabilities of a remix have the same name.',
    conflicts: ['slug_taken', 'capability_conflict'],
    body: ServerCreate,
    responses: { 201: Server },
    handler: async ({ context, body }) => {
      const row = await createServer(context, body);
      return created(
        serverOf(
          context,
          body.external || body.kind === 'remix' ? await refreshManifest(context.server, row) : row,
          'admin',
        ),
      );
    },
  }),
  platformRoute({
    ...ofCollection,
    method: 'POST',
    path: '/organizations/{org}/server-connection-test',
    operationId: 'testServerConnection',
    summary: 'Try a connection to an external MCP server',
    description:
      'Asks the server what it offers and stores nothing. For administrators of the organization, and with `server` for editors of that server. The answer is 200 when the server does not answer, too; `error` then says why.',
    body: ConnectionTestBody,
    responses: { 200: ConnectionTestResult },
    handler: async ({ context, body }) => {
      if (body.server === null) checkAdministrator(context);
      return ok(await testConnection(context, body));
    },
  }),
  platformRoute({
    ...ofCollection,
    method: 'POST',
    path: '/organizations/{org}/remix-preview',
    operationId: 'previewRemix',
    summary: 'Preview a remix',
    description:
      'The capabilities that a remix with these choices would offer, and the conflicts that keep it from being stored. Stores nothing. For administrators of the organization, and with `server` for editors of that remix.',
    conflicts: ['not_a_remix'],
    body: RemixPreviewBody,
    responses: { 200: RemixPreview },
    handler: async ({ context, body }) => {
      if (body.server === null) checkAdministrator(context);
      const row = body.server === null ? undefined : await remixFor(context, body.server);
      return ok(await previewRemix(context, body.remix, row));
    },
  }),
  platformRoute({
    ...ofOne,
    method: 'GET',
    path: one,
    operationId: 'readServer',
    summary: 'Read an MCP server',
    description: 'One server, by id or slug, with its serving URL and state.',
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
    summary: 'Update an MCP server',
    description:
      'Changes the fields that are given, in force at the next request. Access, visibility and authentication are for administrators of the server. 409 `slug_taken` when the slug is in use, `capability_conflict` when two capabilities of a remix have the same name, and `remix_changed` when another change of its capabilities came first.',
    conflicts: ['slug_taken', 'capability_conflict', 'remix_changed'],
    body: ServerUpdate,
    responses: { 200: Server },
    handler: async ({ context, path, body }) => {
      const forAdministrators =
        body.visibility !== undefined ||
        body.defaultRole !== undefined ||
        body.authentication !== undefined ||
        body.deniedAs !== undefined;
      const { row, role } = await seeServer(context, path.server, forAdministrators ? 'admin' : 'editor');
      const changed = await changeServer(context, row, body);
      // The server's own answers to unknown names are part of its manifest.
      const needsAnswers = body.deniedAs === 'unknown' && row.denied_as !== 'unknown';
      const isRead = body.external !== undefined || row.kind === 'remix' || needsAnswers;
      return ok(
        serverOf(context, isRead ? await refreshManifest(context.server, changed, callerOf(context)) : changed, role),
      );
    },
  }),
  platformRoute({
    ...ofOne,
    method: 'DELETE',
    path: one,
    operationId: 'deleteServer',
    summary: 'Delete an MCP server',
    description:
      'Ends its processes and sessions; its serving URL no longer exists. 409 `builtin_server` for the server of a workspace, which is deleted with it.',
    conflicts: ['builtin_server'],
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
    summary: 'Read the capability policy',
    description:
      'The rules that say which role may use which tool, resource or prompt. Without a rule nothing is filtered.',
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
    summary: 'Replace the capability policy',
    description:
      'In force at the next request. Once there is a rule, a capability that no rule allows is denied. Patterns may contain `*`.',
    body: PolicyPut,
    responses: { 200: PolicyAnswer },
    handler: async ({ context, path, body }) =>
      ok(await putPolicy(context, await serverFor(context, path.server, 'admin'), body)),
  }),
  platformRoute({
    ...ofOne,
    method: 'POST',
    path: `${one}/policy/preview`,
    operationId: 'previewServerPolicy',
    summary: 'Preview a capability policy',
    description:
      'What the rules would allow viewers, editors and one actor, with the rule that decides, and whose capabilities change from the stored policy. Nothing is stored. 404 for an actor that is neither a member nor a service account.',
    body: PolicyPreviewBody,
    responses: { 200: PolicyPreview },
    handler: async ({ context, path, body }) =>
      ok(await previewPolicy(context, await serverFor(context, path.server, 'admin'), body)),
  }),
  platformRoute({
    ...ofOne,
    method: 'GET',
    path: `${one}/capabilities`,
    operationId: 'readServerCapabilities',
    summary: 'Read what a server offers',
    description:
      'The tools, resources and prompts that were discovered, as far as the caller may use them, and when that was.',
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
    summary: 'Ask a server what it offers',
    description:
      'Discovers its tools, resources and prompts again and returns them, with the account of the caller where people have accounts of their own there. `error` says why it did not work.',
    responses: { 200: Capabilities },
    handler: async ({ context, path }) => {
      const { row, role } = await seeServer(context, path.server, 'editor');
      return ok(
        capabilitiesOf(await refreshManifest(context.server, row, callerOf(context)), context.caller.actor.id, role),
      );
    },
  }),
  platformRoute({
    ...ofOne,
    method: 'GET',
    path: `${one}/access-preview`,
    operationId: 'previewServerAccess',
    summary: 'Preview the access of an actor',
    description:
      'The role of an actor in the server, and what the policy says of each capability, with the rule that decides.',
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

async function remixFor(context: OrganizationContext, idOrSlug: string): Promise<ServerRow> {
  const row = await serverFor(context, idOrSlug, 'editor');
  if (row.kind !== 'remix') throw new NamedConflict('not_a_remix', 'Only a remix has this.');
  return row;
}

function checkAdministrator({ organization }: OrganizationContext): void {
  if (organization.role !== 'admin') throw new Forbidden('Only administrators of the organization may do this.');
}
