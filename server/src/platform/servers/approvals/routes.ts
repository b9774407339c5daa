/** Routes of the approved tools of a server. */
import { organizationRoutes } from '../../../http/routes/platform-routes.ts';
import { serverFor } from '../server/access.ts';
import { approvalsOf, putApprovals } from './operations.ts';
import { ToolApprovals, ToolApprovalsPut } from './schema.ts';

const { get, put } = organizationRoutes('Servers', 'member');

export const serverApprovalRoutes = [
  get('/servers/{server}/tool-approvals', 'readToolApprovals', {
    summary: 'Read the approvals of tools',
    description:
      'Each tool as it was approved, and as the server offered it in the last discovery. For editors of the server.',
    answers: ToolApprovals,
    handler: async ({ context, path }) => approvalsOf(await serverFor(context, path.server, 'editor')),
  }),
  put('/servers/{server}/tool-approvals', 'setToolApprovals', {
    summary: 'Approve tools',
    description:
      'With `enabled`, callers see and use only approved tools that have not changed, from the next request on. Without it, all approvals are deleted. 409 `manifest_changed` after a discovery that is newer than `manifestVersion`. For administrators of the server.',
    conflicts: ['manifest_changed'],
    body: ToolApprovalsPut,
    answers: ToolApprovals,
    handler: async ({ context, path, body }) =>
      await putApprovals(context, await serverFor(context, path.server, 'admin'), body),
  }),
];
