/** The list of what is served, and nothing else. */
import type { Context } from './context.ts';
import type { EventRecorder } from './events/intake.ts';
import type { PlatformRoute } from './http/platform-route.ts';
import type { Route } from './http/route.ts';
import type { SocketRoute } from './http/websocket.ts';
import { checkEncryptionKey } from './orchestration/admin/encryption-key.ts';
import { adminRoutes } from './orchestration/admin/routes.ts';
import { artifactRoutes } from './orchestration/artifacts/routes.ts';
import { blockDocumentRoutes } from './orchestration/block-documents/routes.ts';
import { blockSchemaRoutes } from './orchestration/block-schemas/routes.ts';
import { blockTypeRoutes } from './orchestration/block-types/routes.ts';
import { installSystemBlockTypes } from './orchestration/block-types/system-block-types.ts';
import { concurrencyLimitRoutes } from './orchestration/concurrency-limits/routes.ts';
import { deploymentRoutes } from './orchestration/deployments/routes.ts';
import { deploymentRunRoutes } from './orchestration/deployments/run-routes.ts';
import { deploymentScheduleRoutes } from './orchestration/deployments/schedule-routes.ts';
import { eventRoutes } from './orchestration/events/routes.ts';
import { eventSockets } from './orchestration/events/sockets.ts';
import { flowRunGraphRoutes } from './orchestration/flow-runs/graph-routes.ts';
import { flowRunHistoryRoutes } from './orchestration/flow-runs/history-routes.ts';
import { flowRunInputRoutes } from './orchestration/flow-runs/input-routes.ts';
import { flowRunLogRoutes } from './orchestration/flow-runs/log-routes.ts';
import { flowRunResumeRoutes } from './orchestration/flow-runs/resume-routes.ts';
import { flowRunRoutes } from './orchestration/flow-runs/routes.ts';
import { flowRoutes } from './orchestration/flows/routes.ts';
import { logRoutes } from './orchestration/logs/routes.ts';
import { logSocket } from './orchestration/logs/socket.ts';
import { savedSearchRoutes } from './orchestration/saved-searches/routes.ts';
import { stateRoutes } from './orchestration/states/routes.ts';
import { recordTaskRuns } from './orchestration/task-runs/recorder.ts';
import { taskRunRoutes } from './orchestration/task-runs/routes.ts';
import { variableRoutes } from './orchestration/variables/routes.ts';
import { workPoolQueueRoutes } from './orchestration/work-pools/queue-routes.ts';
import { workPoolRoutes } from './orchestration/work-pools/routes.ts';
import { workerRoutes } from './orchestration/work-pools/worker-routes.ts';
import { workQueueRoutes } from './orchestration/work-queues/routes.ts';
import { meRoutes } from './platform/me/routes.ts';
import { organizationRoutes } from './platform/organizations/routes.ts';
import { serviceAccountRoutes } from './platform/service-accounts/routes.ts';
import type { Service } from './services/service.ts';

export const routes: readonly Route[] = [
  ...adminRoutes,
  ...flowRoutes,
  ...flowRunRoutes,
  ...flowRunHistoryRoutes,
  ...stateRoutes,
  ...deploymentRoutes,
  ...deploymentScheduleRoutes,
  ...deploymentRunRoutes,
  ...concurrencyLimitRoutes,
  ...taskRunRoutes,
  ...eventRoutes,
  ...logRoutes,
  ...artifactRoutes,
  ...variableRoutes,
  ...savedSearchRoutes,
  ...blockTypeRoutes,
  ...blockSchemaRoutes,
  ...blockDocumentRoutes,
  ...flowRunGraphRoutes,
  ...flowRunInputRoutes,
  ...flowRunResumeRoutes,
  ...flowRunLogRoutes,
  ...workPoolRoutes,
  ...workPoolQueueRoutes,
  ...workerRoutes,
  ...workQueueRoutes,
];

/** The platform API, below `/api/v0`. */
export const platformRoutes: readonly PlatformRoute[] = [...meRoutes, ...organizationRoutes, ...serviceAccountRoutes];

export const sockets: readonly SocketRoute[] = [...eventSockets, logSocket];

/** What goes on without a request. */
export const services: readonly Service[] = [];

/** What is recorded of the events of clients, besides the events. */
export const recorders: readonly EventRecorder[] = [recordTaskRuns];

/** What a workspace must hold before it is served; repeated at every start. */
export async function prepareWorkspace(context: Context): Promise<void> {
  await checkEncryptionKey(context);
  await installSystemBlockTypes(context);
}
