/** The addresses of runs. The Prefect client prints those of a flow run and of a task run. */
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { rootRoute } from '../shell/root-route.ts';
import { text } from '../shell/search.ts';
import type { LogSearch } from './log-view.tsx';

export interface RunsSearch {
  readonly state?: string | undefined;
  readonly flow?: string | undefined;
  readonly deployment?: string | undefined;
  readonly tag?: string | undefined;
  readonly name?: string | undefined;
  /** `1h`, `24h`, `7d`, or two times with a slash between them. */
  readonly span?: string | undefined;
}

const runs = createRoute({
  getParentRoute: () => rootRoute,
  path: '/runs',
  validateSearch: (search: Record<string, unknown>): RunsSearch => ({
    state: text(search['state']),
    flow: text(search['flow']),
    deployment: text(search['deployment']),
    tag: text(search['tag']),
    name: text(search['name']),
    span: text(search['span']),
  }),
  component: lazyRouteComponent(() => import('./runs-page.tsx'), 'RunsPage'),
});

interface FlowRunSearch extends LogSearch {
  readonly tab?: string | undefined;
  /** Id of the task run whose logs are shown. */
  readonly task?: string | undefined;
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

/** As older dashboards wrote them. */
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
