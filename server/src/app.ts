/** The list of what is served, and nothing else. */
import type { EventRecorder } from './events/intake.ts';
import type { Route } from './http/route.ts';
import type { SocketRoute } from './http/websocket.ts';
import { adminRoutes } from './orchestration/admin/routes.ts';
import { artifactRoutes } from './orchestration/artifacts/routes.ts';
import { deploymentRoutes } from './orchestration/deployments/routes.ts';
import { deploymentRunRoutes } from './orchestration/deployments/run-routes.ts';
import { deploymentScheduleRoutes } from './orchestration/deployments/schedule-routes.ts';
import { eventRoutes } from './orchestration/events/routes.ts';
import { eventSockets } from './orchestration/events/sockets.ts';
import { flowRunGraphRoutes } from './orchestration/flow-runs/graph-routes.ts';
import { flowRunHistoryRoutes } from './orchestration/flow-runs/history-routes.ts';
import { flowRunInputRoutes } from './orchestration/flow-runs/input-routes.ts';
import { flowRunRoutes } from './orchestration/flow-runs/routes.ts';
import { flowRoutes } from './orchestration/flows/routes.ts';
import { logRoutes } from './orchestration/logs/routes.ts';
import { logSocket } from './orchestration/logs/socket.ts';
import { savedSearchRoutes } from './orchestration/saved-searches/routes.ts';
import { stateRoutes } from './orchestration/states/routes.ts';
import { recordTaskRuns } from './orchestration/task-runs/recorder.ts';
import { taskRunRoutes } from './orchestration/task-runs/routes.ts';
import { variableRoutes } from './orchestration/variables/routes.ts';

export const routes: readonly Route[] = [
  ...adminRoutes,
  ...flowRoutes,
  ...flowRunRoutes,
  ...flowRunHistoryRoutes,
  ...stateRoutes,
  ...deploymentRoutes,
  ...deploymentScheduleRoutes,
  ...deploymentRunRoutes,
  ...taskRunRoutes,
  ...eventRoutes,
  ...logRoutes,
  ...artifactRoutes,
  ...variableRoutes,
  ...savedSearchRoutes,
  ...flowRunGraphRoutes,
  ...flowRunInputRoutes,
];

export const sockets: readonly SocketRoute[] = [...eventSockets, logSocket];

/** What is recorded of the events of clients, besides the events. */
export const recorders: readonly EventRecorder[] = [recordTaskRuns];
