import type { OrganizationContext } from '../../../context/platform-context.ts';
import type { Position } from '../../../database/rows.ts';
import { Forbidden, NamedConflict } from '../../../errors.ts';
import { organizationRoutes } from '../../../http/routes/platform-routes.ts';
import { grantRoutes } from '../../grants/routes.ts';
import { namedPageQuery, readPage } from '../../page.ts';
import { callerOf, refreshManifest } from '../manifest/manifests.ts';
import { previewRemix } from '../remix/preview.ts';
import { seeServer, serverFor } from '../server/access.ts';
import { capabilitiesOf, listedRole, previewAccess, rulesOf, serverOf } from '../server/answers.ts';
import { testConnection } from '../server/connection-test.ts';
import { listVisibleServers, type ServerRow } from '../server/queries.ts';
import { RemixPreview, RemixPreviewBody } from '../server/remix-schema.ts';
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
} from '../server/schema.ts';
import { changeServer, createServer, deleteServer, putPolicy } from './operations.ts';
import { previewPolicy } from './policy-preview.ts';

const { get, post, put, patch, remove } = organizationRoutes('Servers', 'member');

export const serverRoutes = [
  get('/servers', 'listServers', {
    summary: 'List MCP servers',
    description: 'The servers in which the caller has a role, and the discoverable ones.',
    query: namedPageQuery,
    answers: ServerList,
    handler: ({ context, query }) => {
      const { organization, caller, db } = context;
      const scope = {
        organization_id: organization.id,
        organization_role: organization.role,
        actor_id: caller.actor.id,
        text: query.name,
      };
      const read = (position: Position) => db.all(listVisibleServers, { ...scope, ...position });
      return readPage(query, 'ascending', read, (row) => serverOf(context, row, listedRole(context, row)));
    },
  }),
  post('/servers', 'createServer', {
    access: 'organization:admin',
    summary: 'Register an MCP server',
    description:
      'An `external` server runs elsewhere, and its capabilities are discovered at once. A `hosted` server runs here after its first build. A `remix` offers chosen capabilities of other servers. Clients reach each at its serving URL. No answer contains stored credentials. 409 `slug_taken` when the slug is in use, and `capability_conflict` when two capabilities of a remix have the same name.',
    conflicts: ['slug_taken', 'capability_conflict'],
    body: ServerCreate,
    answers: [201, Server],
    handler: async ({ context, body }) => {
      const row = await createServer(context, body);
      return serverOf(
        context,
        body.external || body.kind === 'remix' ? await refreshManifest(context.server, row) : row,
        'admin',
      );
    },
  }),
  post('/server-connection-test', 'testServerConnection', {
    summary: 'Test a connection to an external MCP server',
    description:
      'Discovers the capabilities of the server and stores nothing. For administrators of the organization, and with `server` for editors of that server. If the server does not answer, the status is 200 and `error` says why.',
    body: ConnectionTestBody,
    answers: ConnectionTestResult,
    handler: ({ context, body }) => {
      if (body.server === null) checkAdministrator(context);
      return testConnection(context, body);
    },
  }),
  post('/remix-preview', 'previewRemix', {
    summary: 'Preview a remix',
    description:
      'The capabilities that a remix with these choices would offer, and the conflicts that prevent its storage. Nothing is stored. For administrators of the organization, and with `server` for editors of that remix.',
    conflicts: ['not_a_remix'],
    body: RemixPreviewBody,
    answers: RemixPreview,
    handler: async ({ context, body }) => {
      if (body.server === null) checkAdministrator(context);
      const row = body.server === null ? undefined : await remixFor(context, body.server);
      return previewRemix(context, body.remix, row);
    },
  }),
  get('/servers/{server}', 'readServer', {
    summary: 'Read an MCP server',
    description: 'One server, by id or slug, with its serving URL and state.',
    answers: Server,
    handler: async ({ context, path }) => {
      const { row, role } = await seeServer(context, path.server, 'viewer');
      return serverOf(context, row, role);
    },
  }),
  patch('/servers/{server}', 'updateServer', {
    summary: 'Update an MCP server',
    description:
      'Changes the given fields, from the next request on. Only administrators of the server may change access, visibility and authentication. 409 `slug_taken` when the slug is in use, `capability_conflict` when two capabilities of a remix have the same name, and `remix_changed` when another request changed its capabilities first.',
    conflicts: ['slug_taken', 'capability_conflict', 'remix_changed'],
    body: ServerUpdate,
    answers: Server,
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
      return serverOf(
        context,
        isRead ? await refreshManifest(context.server, changed, callerOf(context)) : changed,
        role,
      );
    },
  }),
  remove('/servers/{server}', 'deleteServer', {
    summary: 'Delete an MCP server',
    description:
      'Deletes the server and ends its processes and sessions. Its serving URL no longer exists. 409 `builtin_server` for the built-in server of a workspace, which is deleted with the workspace.',
    conflicts: ['builtin_server'],
    handler: async ({ context, path }) => deleteServer(context, await serverFor(context, path.server, 'admin')),
  }),
  get('/servers/{server}/policy', 'readServerPolicy', {
    summary: 'Read the capability policy',
    description:
      'The rules that decide which role may use which tool, resource or prompt. Without rules, all capabilities are allowed.',
    answers: PolicyAnswer,
    handler: async ({ context, path }) => {
      const row = await serverFor(context, path.server, 'admin');
      return { version: row.policy_version, rules: rulesOf(row) };
    },
  }),
  put('/servers/{server}/policy', 'setServerPolicy', {
    summary: 'Replace the capability policy',
    description:
      'Replaces the rules from the next request on. If there is a rule, a capability that no rule allows is denied. Patterns may contain `*`.',
    body: PolicyPut,
    answers: PolicyAnswer,
    handler: async ({ context, path, body }) =>
      await putPolicy(context, await serverFor(context, path.server, 'admin'), body),
  }),
  post('/servers/{server}/policy/preview', 'previewServerPolicy', {
    summary: 'Preview a capability policy',
    description:
      'The capabilities that the rules would allow for viewers, editors and one actor, with the deciding rule, and the actors whose capabilities would change from the stored policy. Nothing is stored. 404 for an actor that is neither a member nor a service account.',
    body: PolicyPreviewBody,
    answers: PolicyPreview,
    handler: async ({ context, path, body }) =>
      await previewPolicy(context, await serverFor(context, path.server, 'admin'), body),
  }),
  get('/servers/{server}/capabilities', 'readServerCapabilities', {
    summary: 'Read the capabilities of a server',
    description: 'The discovered tools, resources and prompts that the caller may use, and the time of the discovery.',
    answers: Capabilities,
    handler: async ({ context, path }) => {
      const { row, role } = await seeServer(context, path.server, 'viewer');
      return capabilitiesOf(row, context.caller.actor.id, role);
    },
  }),
  post('/servers/{server}/capabilities/refresh', 'refreshServerCapabilities', {
    summary: 'Discover the capabilities of a server',
    description:
      "Discovers its tools, resources and prompts again and returns them. If people use their own accounts at the server, the discovery uses the caller's account. `error` says why it failed.",
    answers: Capabilities,
    handler: async ({ context, path }) => {
      const { row, role } = await seeServer(context, path.server, 'editor');
      return capabilitiesOf(
        await refreshManifest(context.server, row, callerOf(context)),
        context.caller.actor.id,
        role,
      );
    },
  }),
  get('/servers/{server}/access-preview', 'previewServerAccess', {
    summary: 'Preview the access of an actor',
    description:
      'The role of an actor in the server, and the decision of the policy on each capability, with the deciding rule.',
    query: previewQuery,
    answers: AccessPreview,
    handler: async ({ context, path, query }) =>
      await previewAccess(context, await serverFor(context, path.server, 'admin'), query.actorId),
  }),
  ...grantRoutes({
    tag: 'Servers',
    path: '/servers/{server}',
    parameter: 'server',
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
