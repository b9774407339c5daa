/** The lists of everything that the server serves and runs, and nothing else. */
import { type Context, createContext, type Server } from './context/context.ts';
import { listWorkspaces } from './database/workspaces.ts';
import type { EventRecorder } from './events/intake.ts';
import { platformDocument, workspaceDocument } from './http/documents/api-documents.ts';
import type { PageRoute } from './http/routes/page-route.ts';
import type { PlatformRoute } from './http/routes/platform-route.ts';
import type { Route } from './http/routes/route.ts';
import type { SocketRoute } from './http/sockets/websocket.ts';
import { checkEncryptionKey } from './orchestration/admin/encryption-key.ts';
import { adminRoutes } from './orchestration/admin/routes.ts';
import { artifactRoutes } from './orchestration/artifacts/routes.ts';
import { automationRoutes } from './orchestration/automations/routes.ts';
import { backfillRoutes } from './orchestration/backfills/routes.ts';
import { blockDocumentRoutes } from './orchestration/blocks/documents/routes.ts';
import { blockTypeDocumentRoutes } from './orchestration/blocks/documents/type-routes.ts';
import { installMemberEmail } from './orchestration/blocks/member-email/member-email.ts';
import { blockSchemaRoutes } from './orchestration/blocks/schemas/routes.ts';
import { installBlockCollection } from './orchestration/blocks/types/block-collection.ts';
import { blockTypeRoutes } from './orchestration/blocks/types/routes.ts';
import { bulkWorkRoutes } from './orchestration/bulk-work/routes.ts';
import { causeRoutes } from './orchestration/causes/routes.ts';
import { collectionRoutes } from './orchestration/collections/routes.ts';
import { deploymentRoutes } from './orchestration/deployments/routes.ts';
import { deploymentRunRoutes } from './orchestration/deployments/run-routes.ts';
import { deploymentScheduleRoutes } from './orchestration/deployments/schedule-routes.ts';
import { eventRoutes } from './orchestration/event-reads/routes.ts';
import { eventSockets } from './orchestration/event-reads/sockets.ts';
import { firstHourRoutes } from './orchestration/first-hour/routes.ts';
import { flowRoutes } from './orchestration/flows/routes.ts';
import { concurrencyLimitRoutes } from './orchestration/limits/global-limits/routes.ts';
import { tagLimitRoutes } from './orchestration/limits/task-limits/routes.ts';
import { logRoutes } from './orchestration/logs/routes.ts';
import { logSocket } from './orchestration/logs/socket.ts';
import { observedStateRoutes } from './orchestration/observed-states/routes.ts';
import { pollingRoutes } from './orchestration/polling/routes.ts';
import { flowRunInputRoutes } from './orchestration/runs/flow-runs/input-routes.ts';
import { flowRunLogRoutes } from './orchestration/runs/flow-runs/log-routes.ts';
import { flowRunResumeRoutes } from './orchestration/runs/flow-runs/resume-routes.ts';
import { flowRunRoutes } from './orchestration/runs/flow-runs/routes.ts';
import { flowRunGraphRoutes } from './orchestration/runs/graph/graph-routes.ts';
import { flowRunHistoryRoutes } from './orchestration/runs/history/history-routes.ts';
import { stateRoutes } from './orchestration/runs/states/routes.ts';
import { recordTaskRuns } from './orchestration/runs/task-runs/recorder.ts';
import { taskRunRoutes } from './orchestration/runs/task-runs/routes.ts';
import { recordHeartbeats } from './orchestration/runs/upkeep/heartbeats.ts';
import { savedSearchRoutes } from './orchestration/saved-searches/routes.ts';
import { templateRoutes } from './orchestration/template-checks/routes.ts';
import { uiRoutes } from './orchestration/ui/routes.ts';
import { variableRoutes } from './orchestration/variables/routes.ts';
import { viewRoutes } from './orchestration/views/routes.ts';
import { comparisonRoutes } from './orchestration/views/run/comparison-routes.ts';
import { runViewRoutes } from './orchestration/views/runs/routes.ts';
import { workViewRoutes } from './orchestration/views/work/routes.ts';
import { webhookRoutes } from './orchestration/webhooks/routes.ts';
import { flowRunWhyRoutes } from './orchestration/why/why-routes.ts';
import { workQueueRoutes } from './orchestration/work/agent-queues/routes.ts';
import { workPoolRoutes } from './orchestration/work/pools/routes.ts';
import { workPoolQueueRoutes } from './orchestration/work/queues/routes.ts';
import { taskWorkerRoutes } from './orchestration/work/task-workers/routes.ts';
import { taskWorkerSocket } from './orchestration/work/task-workers/socket.ts';
import { workerChannelSocket } from './orchestration/work/worker-channel/socket.ts';
import { workerRoutes } from './orchestration/work/workers/worker-routes.ts';
import { auditRoutes } from './platform/audit/routes.ts';
import { catalogRoutes } from './platform/catalog/routes.ts';
import { connectionRoutes } from './platform/connections/routes.ts';
import { firstServerRoutes } from './platform/first-hour/routes.ts';
import { inboxRoutes } from './platform/inbox/routes.ts';
import { devicePages } from './platform/keys/device/page-routes.ts';
import { deviceRoutes } from './platform/keys/device/routes.ts';
import { terminalPages } from './platform/keys/device/terminal-page-routes.ts';
import { personalKeyRoutes } from './platform/keys/personal/routes.ts';
import { serviceAccountKeyRoutes } from './platform/keys/service-accounts/key-routes.ts';
import { serviceAccountRoutes } from './platform/keys/service-accounts/routes.ts';
import { memberRoutes } from './platform/organizations/members/routes.ts';
import { routesOfOrganizations } from './platform/organizations/routes.ts';
import { invitationPages } from './platform/people/invitations/page-routes.ts';
import { invitationRoutes } from './platform/people/invitations/routes.ts';
import { ownAccountRoutes } from './platform/people/me/account-routes.ts';
import { meRoutes } from './platform/people/me/routes.ts';
import { oidcPages } from './platform/people/oidc/page-routes.ts';
import { passwordResetPages } from './platform/people/password-resets/page-routes.ts';
import { sessionPages } from './platform/people/sessions/page-routes.ts';
import { sessionRoutes } from './platform/people/sessions/routes.ts';
import { setUpPages } from './platform/people/set-up/page-routes.ts';
import { suspensionRoutes } from './platform/people/suspension/routes.ts';
import { accessRequestRoutes } from './platform/servers/access-requests/routes.ts';
import { serverAccountPages } from './platform/servers/accounts/page-routes.ts';
import { serverAccountRoutes } from './platform/servers/accounts/routes.ts';
import { serverApprovalRoutes } from './platform/servers/approvals/routes.ts';
import { serverBuildRoutes } from './platform/servers/builds/routes.ts';
import { serverCauseRoutes } from './platform/servers/causes/routes.ts';
import { serverDeploymentRoutes } from './platform/servers/deployments/routes.ts';
import { serverEnvironmentRoutes } from './platform/servers/environment/routes.ts';
import { serverImportRoutes } from './platform/servers/imports/routes.ts';
import { serverLimitRoutes } from './platform/servers/limits/routes.ts';
import { serverProcessRoutes } from './platform/servers/processes/routes.ts';
import { serverRoutes } from './platform/servers/registration/routes.ts';
import { serverRequestRoutes } from './platform/servers/requests/routes.ts';
import { ensureBuiltinServer } from './platform/servers/server/builtin-server.ts';
import { serverViewRoutes } from './platform/servers/views/routes.ts';
import { workspaceRoutes } from './platform/workspaces/routes.ts';
import { Actions } from './services/actions.ts';
import { backfills } from './services/backfills.ts';
import { BuildQueue } from './services/builds.ts';
import { BulkWork } from './services/bulk-work.ts';
import { failureCauses } from './services/failure-causes.ts';
import { foreman } from './services/foreman.ts';
import { KeyWarnings } from './services/key-warnings.ts';
import { logIndex } from './services/log-index.ts';
import { ManifestDiscovery } from './services/manifests.ts';
import { ServerRetention, WorkspaceRetention } from './services/old-rows/retention.ts';
import { scheduler } from './services/scheduler.ts';
import type { Service } from './services/service.ts';
import { Triggers } from './services/triggers.ts';
import { Upgrades } from './services/upgrades.ts';
import { cancellationCleanup } from './services/upkeep/cancellation-cleanup.ts';
import { lateRuns } from './services/upkeep/late-runs.ts';
import { leaseExpiry, TimesAhead } from './services/upkeep/lease-expiry.ts';
import { pauseExpiry } from './services/upkeep/pause-expiry.ts';
import { ZombieDetection } from './services/upkeep/zombie-detection.ts';

export const routes: readonly Route[] = [
  ...adminRoutes,
  ...flowRoutes,
  ...flowRunRoutes,
  ...flowRunHistoryRoutes,
  ...stateRoutes,
  ...deploymentRoutes,
  ...deploymentScheduleRoutes,
  ...deploymentRunRoutes,
  ...backfillRoutes,
  ...bulkWorkRoutes,
  ...causeRoutes,
  ...concurrencyLimitRoutes,
  ...tagLimitRoutes,
  ...taskRunRoutes,
  ...observedStateRoutes,
  ...taskWorkerRoutes,
  ...eventRoutes,
  ...logRoutes,
  ...artifactRoutes,
  ...variableRoutes,
  ...savedSearchRoutes,
  ...automationRoutes,
  ...templateRoutes,
  ...webhookRoutes,
  ...blockTypeRoutes,
  ...blockTypeDocumentRoutes,
  ...blockSchemaRoutes,
  ...blockDocumentRoutes,
  ...collectionRoutes,
  ...uiRoutes,
  ...flowRunGraphRoutes,
  ...flowRunInputRoutes,
  ...flowRunResumeRoutes,
  ...flowRunLogRoutes,
  ...flowRunWhyRoutes,
  ...workPoolRoutes,
  ...workPoolQueueRoutes,
  ...workerRoutes,
  ...workQueueRoutes,
  ...pollingRoutes,
  ...viewRoutes,
  ...firstHourRoutes,
  ...runViewRoutes,
  ...comparisonRoutes,
  ...workViewRoutes,
];

/** Takes requests at the addresses of webhooks, below `/hooks`. */
export { webhookReceiver } from './orchestration/webhooks/receive-routes.ts';
/** The routes that the Prefect CLI calls on a hosted server, below `/api`. */
export { accountRoutes } from './platform/cloud-account/routes.ts';

/** The platform API, below `/api/v0`. */
export const platformRoutes: readonly PlatformRoute[] = [
  ...meRoutes,
  ...personalKeyRoutes,
  ...ownAccountRoutes,
  ...connectionRoutes,
  ...routesOfOrganizations,
  ...memberRoutes,
  ...suspensionRoutes,
  ...serviceAccountRoutes,
  ...serviceAccountKeyRoutes,
  ...workspaceRoutes,
  ...serverRoutes,
  ...serverViewRoutes,
  ...firstServerRoutes,
  ...serverCauseRoutes,
  ...inboxRoutes,
  ...serverAccountRoutes,
  ...accessRequestRoutes,
  ...catalogRoutes,
  ...serverImportRoutes,
  ...serverApprovalRoutes,
  ...serverLimitRoutes,
  ...serverRequestRoutes,
  ...serverEnvironmentRoutes,
  ...serverBuildRoutes,
  ...serverDeploymentRoutes,
  ...serverProcessRoutes,
  ...invitationRoutes,
  ...sessionRoutes,
  ...deviceRoutes,
  ...auditRoutes,
];

/** The pages for people, at the root. */
export const pages: readonly PageRoute[] = [
  ...setUpPages,
  ...sessionPages,
  ...passwordResetPages,
  ...oidcPages,
  ...invitationPages,
  ...devicePages,
  ...terminalPages,
  ...serverAccountPages,
];

export const sockets: readonly SocketRoute[] = [...eventSockets, logSocket, taskWorkerSocket, workerChannelSocket];

/** The background services of a process, each with its own state. */
export function createServices(server: Server): readonly Service[] {
  return [
    scheduler,
    backfills,
    new BulkWork(),
    failureCauses,
    lateRuns,
    foreman,
    leaseExpiry,
    new TimesAhead(server),
    pauseExpiry,
    cancellationCleanup,
    new ZombieDetection(),
    new Triggers(),
    new Actions(server),
    new BuildQueue(server),
    new ManifestDiscovery(server),
    new KeyWarnings(server),
    logIndex,
    new WorkspaceRetention(),
    new ServerRetention(server),
    new Upgrades(server),
  ];
}

/** The recorders, which derive rows from the events of clients. */
export const recorders = {
  taskRuns: recordTaskRuns,
  heartbeats: recordHeartbeats,
} satisfies Record<string, EventRecorder>;

/** Prepares a workspace before it is served; runs at every start. */
export async function prepareWorkspace(context: Context): Promise<void> {
  await checkEncryptionKey(context);
  await installBlockCollection(context);
  await installMemberEmail(context);
  await ensureBuiltinServer(context.server.store, context.workspace, context.now);
}

/** Adds what the settings give to each workspace to the workspaces that were made before. */
export async function completeWorkspaces(server: Server): Promise<void> {
  if (!server.mail.isOn) return;
  for (const workspace of await listWorkspaces(server.store))
    await installMemberEmail(createContext(server, workspace));
}

/** The OpenAPI documents of both APIs, as a client of a hosted workspace sees them. */
export const documents = {
  workspace: () => workspaceDocument(routes, 'bearer'),
  platform: () => platformDocument(platformRoutes),
};
