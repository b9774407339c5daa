/** The list of what is served, and nothing else. */
import type { Route } from './http/route.ts';
import { adminRoutes } from './orchestration/admin/routes.ts';
import { artifactRoutes } from './orchestration/artifacts/routes.ts';
import { flowRunHistoryRoutes } from './orchestration/flow-runs/history-routes.ts';
import { flowRunRoutes } from './orchestration/flow-runs/routes.ts';
import { flowRoutes } from './orchestration/flows/routes.ts';
import { logRoutes } from './orchestration/logs/routes.ts';
import { savedSearchRoutes } from './orchestration/saved-searches/routes.ts';
import { stateRoutes } from './orchestration/states/routes.ts';
import { taskRunRoutes } from './orchestration/task-runs/routes.ts';
import { variableRoutes } from './orchestration/variables/routes.ts';

export const routes: readonly Route[] = [
  ...adminRoutes,
  ...flowRoutes,
  ...flowRunRoutes,
  ...flowRunHistoryRoutes,
  ...stateRoutes,
  ...taskRunRoutes,
  ...logRoutes,
  ...artifactRoutes,
  ...variableRoutes,
  ...savedSearchRoutes,
];
