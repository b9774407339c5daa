/** Every address of the dashboard and the page that it opens. Pages are loaded when they are first opened. */
import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { pagesPath } from './api/workspace.ts';
import { Failed } from './components/states-of-loading.tsx';
import { NotFoundPage } from './shell/not-found-page.tsx';
import { Shell } from './shell/shell.tsx';

interface Context {
  readonly queries: QueryClient;
}

const root = createRootRouteWithContext<Context>()({ component: Shell, notFoundComponent: NotFoundPage });

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(() => import('./home/home-page.tsx'), 'HomePage'),
});

export interface RunsSearch {
  readonly state?: string | undefined;
  readonly flow?: string | undefined;
  readonly deployment?: string | undefined;
  readonly tag?: string | undefined;
  readonly name?: string | undefined;
  /** `1h`, `24h`, `7d`, or two times with a slash between them. */
  readonly span?: string | undefined;
}

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

const runs = createRoute({
  getParentRoute: () => root,
  path: '/runs',
  validateSearch: (search: Record<string, unknown>): RunsSearch => ({
    state: text(search['state']),
    flow: text(search['flow']),
    deployment: text(search['deployment']),
    tag: text(search['tag']),
    name: text(search['name']),
    span: text(search['span']),
  }),
  component: lazyRouteComponent(() => import('./runs/runs-page.tsx'), 'RunsPage'),
});

interface FlowRunSearch {
  readonly tab?: string | undefined;
  /** Id of the task run whose logs are shown. */
  readonly task?: string | undefined;
}

const flowRun = createRoute({
  getParentRoute: () => root,
  path: '/runs/flow-run/$id',
  validateSearch: (search: Record<string, unknown>): FlowRunSearch => ({
    tab: text(search['tab']),
    task: text(search['task']),
  }),
  component: lazyRouteComponent(() => import('./runs/flow-run-page.tsx'), 'FlowRunPage'),
});

/** Addresses of older dashboards. */
const oldFlowRun = createRoute({
  getParentRoute: () => root,
  path: '/flow-runs/flow-run/$id',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/runs/flow-run/$id', params, replace: true });
  },
});

const tree = root.addChildren([home, runs, flowRun, oldFlowRun]);

export function createAppRouter(queries: QueryClient) {
  return createRouter({
    routeTree: tree,
    basepath: pagesPath || '/',
    context: { queries },
    defaultPreload: 'intent',
    scrollRestoration: true,
    defaultErrorComponent: ({ error, reset }) => <Failed error={error} retry={reset} />,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
