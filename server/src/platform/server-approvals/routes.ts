/** Routes for the tools of a server that have been approved. */
import { platformRoute } from '../../http/platform-route.ts';
import { ok } from '../../http/route.ts';
import { serverFor } from '../servers/access.ts';
import { approvalsOf, putApprovals } from './operations.ts';
import { ToolApprovals, ToolApprovalsPut } from './schema.ts';

const path = '/organizations/{org}/servers/{server}/tool-approvals';
const ofOne = {
  tags: ['Servers'],
  access: 'organization:member',
  parameters: { org: 'text', server: 'text' },
} as const;

export const serverApprovalRoutes = [
  platformRoute({
    ...ofOne,
    method: 'GET',
    path,
    operationId: 'readToolApprovals',
    summary: 'Read which tools are approved',
    description:
      'Each tool as it was approved and as the server offered it when it was last asked. For editors of the server.',
    responses: { 200: ToolApprovals },
    handler: async ({ context, path }) => ok(approvalsOf(await serverFor(context, path.server, 'editor'))),
  }),
  platformRoute({
    ...ofOne,
    method: 'PUT',
    path,
    operationId: 'setToolApprovals',
    summary: 'Approve tools',
    description:
      'With `enabled`, callers see and use only tools that are as they were approved, from the next request on. Without it, all approvals are forgotten. 409 `manifest_changed` when the server was asked again since `manifestVersion`. For administrators of the server.',
    conflicts: ['manifest_changed'],
    body: ToolApprovalsPut,
    responses: { 200: ToolApprovals },
    handler: async ({ context, path, body }) =>
      ok(await putApprovals(context, await serverFor(context, path.server, 'admin'), body)),
  }),
];
