/** Routes of requests for access to servers that are discoverable without a role. */

import type { OrganizationContext } from '../../../context/platform-context.ts';
import type { Position } from '../../../database/rows.ts';
import { organizationRoutes } from '../../../http/routes/platform-routes.ts';
import { readPage } from '../../page.ts';
import { findSeenServer, serverFor } from '../server/access.ts';
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

const { get, post, remove } = organizationRoutes('Access requests', 'member');

export const accessRequestRoutes = [
  post('/servers/{server}/access-requests', 'requestServerAccess', {
    summary: 'Request access to an MCP server',
    description:
      'For a person without a role in a discoverable server. An administrator of the server decides. 409 `has_access`, `request_open` while an earlier request waits, `too_many_open_requests` with 20 of them. 429 for a day after a refusal and for ten minutes after a withdrawal.',
    conflicts: ['has_access', 'request_open', 'too_many_open_requests'],
    body: AccessRequestCreate,
    answers: [201, AccessRequest],
    handler: ({ context, path, body }) => requestAccess(context, path.server, body),
  }),
  get('/access-requests', 'listAccessRequests', {
    summary: 'List requests for access to MCP servers',
    description:
      "The requests that the caller may decide, or with `own` the caller's own requests, newest first. Only the last request of each person for each server is listed. 403 for a `server` that the caller does not administer.",
    query: accessRequestQuery,
    answers: AccessRequestList,
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
      const read = (position: Position) => db.all(listAccessRequests, { ...scope, ...position });
      return readPage(query, 'descending', read, accessRequestOf);
    },
  }),
  post('/access-requests/{id}/approve', 'approveAccessRequest', {
    summary: 'Approve a request for access',
    description:
      'Grants the role to the person, from the next request on. For administrators of the server. 409 `request_closed` when it was already decided or withdrawn.',
    conflicts: ['request_closed'],
    body: AccessApproval,
    answers: AccessRequest,
    handler: ({ context, path, body }) => approveAccess(context, path.id, body.role),
  }),
  post('/access-requests/{id}/refuse', 'refuseAccessRequest', {
    summary: 'Refuse a request for access',
    description:
      'The person sees the reason, and can ask again after a day. For administrators of the server. 409 `request_closed` when it was already decided or withdrawn.',
    conflicts: ['request_closed'],
    body: AccessRefusal,
    answers: AccessRequest,
    handler: ({ context, path, body }) => refuseAccess(context, path.id, body.reason),
  }),
  remove('/access-requests/{id}', 'withdrawAccessRequest', {
    summary: 'Withdraw a request for access',
    description:
      'For the person who made the request. 404 for a request of another person, 409 `request_closed` when it was already decided.',
    conflicts: ['request_closed'],
    handler: ({ context, path }) => withdrawRequest(context, path.id),
  }),
];

async function serverIdOf(context: OrganizationContext, idOrSlug: string, own: boolean): Promise<string> {
  return own ? (await findSeenServer(context, idOrSlug)).row.id : (await serverFor(context, idOrSlug, 'admin')).id;
}
