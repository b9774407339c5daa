/** The addresses of work pools, queues and workers, as the Prefect client prints them. */
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { rootRoute } from '../shell/root-route.ts';
import { text } from '../shell/search.ts';

function tabIn(search: Record<string, unknown>): { readonly tab?: string | undefined } {
  return { tab: text(search['tab']) };
}

const pools = createRoute({
  getParentRoute: () => rootRoute,
  path: '/work-pools',
  component: lazyRouteComponent(() => import('./pools-page.tsx'), 'PoolsPage'),
});

const newPool = createRoute({
  getParentRoute: () => rootRoute,
  path: '/work-pools/create',
  validateSearch: (search: Record<string, unknown>): { readonly type?: string | undefined } => ({
    type: text(search['type']),
  }),
  component: lazyRouteComponent(() => import('./new-pool-page.tsx'), 'NewPoolPage'),
});

const pool = createRoute({
  getParentRoute: () => rootRoute,
  path: '/work-pools/work-pool/$name',
  validateSearch: tabIn,
  component: lazyRouteComponent(() => import('./pool-page.tsx'), 'PoolPage'),
});

const editPool = createRoute({
  getParentRoute: () => rootRoute,
  path: '/work-pools/work-pool/$name/edit',
  component: lazyRouteComponent(() => import('./edit-pool-page.tsx'), 'EditPoolPage'),
});

const worker = createRoute({
  getParentRoute: () => rootRoute,
  path: '/work-pools/work-pool/$name/worker/$worker',
  component: lazyRouteComponent(() => import('./worker-page.tsx'), 'WorkerPage'),
});

const queue = createRoute({
  getParentRoute: () => rootRoute,
  path: '/work-queues/work-queue/$id',
  component: lazyRouteComponent(() => import('./queue-page.tsx'), 'QueuePage'),
});

/** The address in the Prefect dashboard: by the names of the pool and the queue. */
const queueByName = createRoute({
  getParentRoute: () => rootRoute,
  path: '/work-pools/work-pool/$name/queue/$queue',
  component: lazyRouteComponent(() => import('./queue-page.tsx'), 'QueueByNamePage'),
});

/** Queues are edited on their own page, and added on the page of their pool. */
const editQueue = createRoute({
  getParentRoute: () => rootRoute,
  path: '/work-pools/work-pool/$name/queue/$queue/edit',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/work-pools/work-pool/$name/queue/$queue', params, replace: true });
  },
});

const newQueue = createRoute({
  getParentRoute: () => rootRoute,
  path: '/work-pools/work-pool/$name/queue/create',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/work-pools/work-pool/$name', params, replace: true });
  },
});

/** Queues are listed with their pools. */
const queues = createRoute({
  getParentRoute: () => rootRoute,
  path: '/work-queues',
  beforeLoad: () => {
    throw redirect({ to: '/work-pools', replace: true });
  },
});

export const workRoutes = [
  pools,
  newPool,
  pool,
  editPool,
  worker,
  queue,
  queueByName,
  editQueue,
  newQueue,
  queues,
] as const;
