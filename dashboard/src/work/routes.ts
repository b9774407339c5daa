/** The addresses of work pools, queues and workers, as the Prefect client prints them. */
import { createRoute, redirect } from '@tanstack/react-router';
import { page } from '../shell/page.ts';
import { rootRoute } from '../shell/root-route.ts';
import { text } from '../shell/search.ts';

const pool = '/work-pools/work-pool/$name';
/** The address in the Prefect dashboard: by the names of the pool and the queue. */
const queueByName = `${pool}/queue/$queue` as const;

/** Queues are edited on their own page, and added on the page of their pool. */
const editQueue = createRoute({
  getParentRoute: () => rootRoute,
  path: `${queueByName}/edit`,
  beforeLoad: ({ params }) => {
    throw redirect({ to: queueByName, params, replace: true });
  },
});

const newQueue = createRoute({
  getParentRoute: () => rootRoute,
  path: `${pool}/queue/create`,
  beforeLoad: ({ params }) => {
    throw redirect({ to: pool, params, replace: true });
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
  createRoute(page('/work-pools', () => import('./pools-page.tsx'), 'PoolsPage')),
  createRoute(page('/work-pools/create', () => import('./new-pool-page.tsx'), 'NewPoolPage', { type: text })),
  createRoute(page(pool, () => import('./pool-page.tsx'), 'PoolPage', { tab: text })),
  createRoute(page(`${pool}/edit`, () => import('./edit-pool-page.tsx'), 'EditPoolPage')),
  createRoute(page(`${pool}/worker/$worker`, () => import('./worker-page.tsx'), 'WorkerPage')),
  createRoute(page('/work-queues/work-queue/$id', () => import('./queue-page.tsx'), 'QueuePage')),
  createRoute(page(queueByName, () => import('./queue-page.tsx'), 'QueueByNamePage')),
  editQueue,
  newQueue,
  queues,
] as const;
