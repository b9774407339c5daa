/** Routes of the approved tools of a server. */
import { organizationRoutes } from '../../../http/routes/platform-routes.ts';
import { serverFor } from '../server/access.ts';
import { approvalsOf, putApprovals } from './operations.ts';
import { ToolApprovals, ToolApprovalsPut } from './schema.ts';

const { get, put } = organizationRoutes('Servers', 'member');

export const serverApprovalRoutes = [
  get('/servers/{server}/tool-approvals', 'readToolApprovals', {
    summary: 'Read which tools are approved',
    description:
      'Each tool as it was approved and as the server offered it when it was last asked. For editors of the server.',
    answers: ToolApprovals,
    handler: async ({ context, path }) => approvalsOf(await serverFor(context, path.server, 'editor')),
  }),
  put('/servers/{server}/tool-approvals', 'setToolApprovals', {
    summary: 'Approve tools',
    description:
      'With `enabled`, callers see and use only tools that are as they were approved, from the next request on. Without it, all approvals are forgotten. 409 `manifest_changed` when the server was asked again since `manifestVersion`. For administrators of the server.',
    conflicts: ['manifest_changed'],
    body: ToolApprovalsPut,
    answers: ToolApprovals,
    handler: async ({ context, path, body }) =>
      await putApprovals(context, await serverFor(context, path.server, 'admin'), body),
  }),
];
