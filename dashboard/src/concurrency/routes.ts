/** The addresses of concurrency limits. The Prefect client prints the one of a single limit. */
import { createRoute, redirect } from '@tanstack/react-router';
import { page } from '../shell/page.ts';
import { rootRoute } from '../shell/root-route.ts';
import { text } from '../shell/search.ts';

const search = {
  /** `global`, `tag` or `deployment`; all when absent. */
  kind: text,
  /** A part of the name. */
  name: text,
};

const one = '/concurrency-limits/concurrency-limit/$id';

/** The address in other dashboards. */
const oldLimit = createRoute({
  getParentRoute: () => rootRoute,
  path: '/concurrency-limit/$id',
  beforeLoad: ({ params }) => {
    throw redirect({ to: one, params, replace: true });
  },
});

const oldLimits = createRoute({
  getParentRoute: () => rootRoute,
  path: '/concurrency-limits',
  beforeLoad: () => {
    throw redirect({ to: '/concurrency', replace: true });
  },
});

export const concurrencyRoutes = [
  createRoute(page('/concurrency', () => import('./concurrency-page.tsx'), 'ConcurrencyPage', search)),
  createRoute(page(one, () => import('./limit-page.tsx'), 'LimitPage')),
  oldLimit,
  oldLimits,
] as const;
