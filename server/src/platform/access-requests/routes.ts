/** Routes for requests for access to servers that show themselves without giving a role. */
import { platformRoute } from '../../http/platform-route.ts';
import { created, noContent, ok } from '../../http/route.ts';
import type { OrganizationContext } from '../../platform-context.ts';
import { readPage } from '../page.ts';
import { findSeenServer, serverFor } from '../servers/access.ts';
import { approveAccess, refuseAccess, requestAccess, withdrawRequest } from './operations.ts';
import { accessRequestOf, listAccessRequests } from './queries.ts';
import {
  AccessApproval,
  AccessRefusal,
  AccessRequest,
  AccessRequestCreate,
  AccessRequestList,
  accessRequestQuery,
} from './schema.ts';

const collection = '/organizations/{org}/access-requests';
const tags = ['Access requests'];
const common = { tags, access: 'organization:member' } as const;
const ofOne = { ...common, parameters: { org: 'text', id: 'uuid' } } as const;

export const accessRequestRoutes = [
  platformRoute({
    ...common,
    parameters: { org: 'text', server: 'text' },
    method: 'POST',
    path: '/organizations/{org}/servers/{server}/access-requests',
    operationId: 'requestServerAccess',
    summary: 'Ask for access to an MCP server',
    description:
      'For a person who sees a discoverable server and has no role in it. An administrator of the server decides. 409 `has_access`, `request_open` while an earlier request waits, `too_many_open_requests` with 20 of them. 429 for a day after a refusal and for ten minutes after a withdrawal.',
    conflicts: ['has_access', 'request_open', 'too_many_open_requests'],
    body: AccessRequestCreate,
    responses: { 201: AccessRequest },
    handler: async ({ context, path, body }) => created(await requestAccess(context, path.server, body)),
  }),
  platformRoute({
    ...common,
    parameters: { org: 'text' },
    method: 'GET',
    path: collection,
    operationId: 'listAccessRequests',
    summary: 'List requests for access to MCP servers',
    description:
      'The requests that the caller may decide, or with `own` those that the caller made, newest first. There is one for each person and server, the last one. 403 for a `server` that the caller does not administer.',
    query: accessRequestQuery,
    responses: { 200: AccessRequestList },
    handler: async ({ context, query }) => {
      const { organization, caller, db } = context;
      const scope = {
        organization_id: organization.id,
        organization_role: organization.role,
        actor_id: caller.actor.id,
        own: query.own,
        state: query.state,
        server_id: query.server === undefined ? undefined : await serverIdOf(context, query.server, query.own),
      };
      const read = (position: { cursor: string; limit: number }) =>
        db.all(listAccessRequests, { ...scope, ...position });
      return ok(await readPage(query, 'descending', read, accessRequestOf));
    },
  }),
  platformRoute({
    ...ofOne,
    method: 'POST',
    path: `${collection}/{id}/approve`,
    operationId: 'approveAccessRequest',
    summary: 'Approve a request for access',
    description:
      'Grants the role to the person, in force at the next request. For administrators of the server. 409 `request_closed` when it was decided or withdrawn before.',
    conflicts: ['request_closed'],
    body: AccessApproval,
    responses: { 200: AccessRequest },
    handler: async ({ context, path, body }) => ok(await approveAccess(context, path.id, body.role)),
  }),
  platformRoute({
    ...ofOne,
    method: 'POST',
    path: `${collection}/{id}/refuse`,
    operationId: 'refuseAccessRequest',
    summary: 'Refuse a request for access',
    description:
      'The person sees the reason, and can ask again after a day. For administrators of the server. 409 `request_closed` when it was decided or withdrawn before.',
    conflicts: ['request_closed'],
    body: AccessRefusal,
    responses: { 200: AccessRequest },
    handler: async ({ context, path, body }) => ok(await refuseAccess(context, path.id, body.reason)),
  }),
  platformRoute({
    ...ofOne,
    method: 'DELETE',
    path: `${collection}/{id}`,
    operationId: 'withdrawAccessRequest',
    summary: 'Withdraw a request for access',
    description:
      'For the person who made it. 404 for a request of somebody else, 409 `request_closed` when it was decided before.',
    conflicts: ['request_closed'],
    responses: { 204: null },
    handler: async ({ context, path }) => {
      await withdrawRequest(context, path.id);
      return noContent;
    },
  }),
];

async function serverIdOf(context: OrganizationContext, idOrSlug: string, own: boolean): Promise<string> {
  return own ? (await findSeenServer(context, idOrSlug)).row.id : (await serverFor(context, idOrSlug, 'admin')).id;
}
