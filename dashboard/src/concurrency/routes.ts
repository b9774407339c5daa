/** The addresses of concurrency limits. The Prefect client prints the one of a single limit. */
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { rootRoute } from '../shell/root-route.ts';
import { text } from '../shell/search.ts';

export interface ConcurrencySearch {
  /** `global`, `tag` or `deployment`; all when absent. */
  readonly kind?: string | undefined;
  /** A part of the name. */
  readonly name?: string | undefined;
}

const limits = createRoute({
  getParentRoute: () => rootRoute,
  path: '/concurrency',
  validateSearch: (search: Record<string, unknown>): ConcurrencySearch => ({
    kind: text(search['kind']),
    name: text(search['name']),
  }),
  component: lazyRouteComponent(() => import('./concurrency-page.tsx'), 'ConcurrencyPage'),
});

const limit = createRoute({
  getParentRoute: () => rootRoute,
  path: '/concurrency-limits/concurrency-limit/$id',
  component: lazyRouteComponent(() => import('./limit-page.tsx'), 'LimitPage'),
});

/** The address in other dashboards. */
const oldLimit = createRoute({
  getParentRoute: () => rootRoute,
  path: '/concurrency-limit/$id',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/concurrency-limits/concurrency-limit/$id', params, replace: true });
  },
});

const oldLimits = createRoute({
  getParentRoute: () => rootRoute,
  path: '/concurrency-limits',
  beforeLoad: () => {
    throw redirect({ to: '/concurrency', replace: true });
  },
});

export const concurrencyRoutes = [limits, limit, oldLimit, oldLimits] as const;
