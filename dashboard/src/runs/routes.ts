/** The addresses of runs. The Prefect client prints those of a flow run and of a task run. */
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { rootRoute } from '../shell/root-route.ts';
import { text } from '../shell/search.ts';
import type { LogSearch } from './log-view.tsx';
import { readRunsSearch } from './runs-search.ts';

const runs = createRoute({
  getParentRoute: () => rootRoute,
  path: '/runs',
  validateSearch: readRunsSearch,
  component: lazyRouteComponent(() => import('./runs-page.tsx'), 'RunsPage'),
});

interface FlowRunSearch extends LogSearch {
  readonly tab?: string | undefined;
  /** Id of the task run whose logs are shown. */
  readonly task?: string | undefined;
  /** `graph`; the timeline when it is absent. */
  readonly view?: string | undefined;
}

const logSearch = (search: Record<string, unknown>): LogSearch => ({
  level: text(search['level']),
  q: text(search['q']),
});

const flowRun = createRoute({
  getParentRoute: () => rootRoute,
  path: '/runs/flow-run/$id',
  validateSearch: (search: Record<string, unknown>): FlowRunSearch => ({
    tab: text(search['tab']),
    task: text(search['task']),
    view: text(search['view']),
    ...logSearch(search),
  }),
  component: lazyRouteComponent(() => import('./flow-run-page.tsx'), 'FlowRunPage'),
});

const taskRun = createRoute({
  getParentRoute: () => rootRoute,
  path: '/runs/task-run/$id',
  validateSearch: logSearch,
  component: lazyRouteComponent(() => import('./task-run-page.tsx'), 'TaskRunPage'),
});

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

export const runRoutes = [runs, flowRun, taskRun, oldFlowRun, oldTaskRun] as const;
