/** The addresses of runs. The Prefect client prints those of a flow run and of a task run. */
import { createRoute, redirect } from '@tanstack/react-router';
import { page } from '../shell/page.ts';
import { rootRoute } from '../shell/root-route.ts';
import { text } from '../shell/search.ts';
import { logSearch, runsSearch } from './list/run-fields.ts';

const flowRunSearch = {
  tab: text,
  /** Id of the task run whose logs are shown. */
  task: text,
  /** `graph`; the timeline when it is absent. */
  view: text,
  /** The number of an attempt; all of them when it is absent. */
  attempt: text,
  /** `yes` or `no`: whether the log includes those of subflows. By default, that of a failed run does. */
  subflows: text,
  ...logSearch,
};

/** The addresses in older dashboards. */
const oldFlowRun = createRoute({
  getParentRoute: () => rootRoute,
  path: '/flow-runs/flow-run/$id',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/runs/flow-run/$id', params, replace: true });
  },
});

const oldTaskRun = createRoute({
  getParentRoute: () => rootRoute,
  path: '/task-runs/task-run/$id',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/runs/task-run/$id', params, replace: true });
  },
});

export const runRoutes = [
  createRoute(page('/runs', () => import('./list/runs-page.tsx'), 'RunsPage', runsSearch)),
  createRoute(page('/runs/bulk-work', () => import('./bulk/bulk-work-page.tsx'), 'BulkWorkPage')),
  createRoute(page('/runs/flow-run/$id', () => import('./run/flow-run-page.tsx'), 'FlowRunPage', flowRunSearch)),
  createRoute(page('/runs/task-run/$id', () => import('./run/task-run-page.tsx'), 'TaskRunPage', logSearch)),
  oldFlowRun,
  oldTaskRun,
] as const;
