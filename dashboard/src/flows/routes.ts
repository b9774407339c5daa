/** The addresses of flows. The Prefect client prints the one of a single flow. */
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { rootRoute } from '../shell/root-route.ts';
import { text } from '../shell/search.ts';

export interface FlowsSearch {
  readonly name?: string | undefined;
  readonly tag?: string | undefined;
}

const flows = createRoute({
  getParentRoute: () => rootRoute,
  path: '/flows',
  validateSearch: (search: Record<string, unknown>): FlowsSearch => ({
    name: text(search['name']),
    tag: text(search['tag']),
  }),
  component: lazyRouteComponent(() => import('./flows-page.tsx'), 'FlowsPage'),
});

const flow = createRoute({
  getParentRoute: () => rootRoute,
  path: '/flows/flow/$id',
  validateSearch: (search: Record<string, unknown>): { readonly tab?: string | undefined } => ({
    tab: text(search['tab']),
  }),
  component: lazyRouteComponent(() => import('./flow-page.tsx'), 'FlowPage'),
});

/** The address in older dashboards. */
const oldFlow = createRoute({
  getParentRoute: () => rootRoute,
  path: '/flow/$id',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/flows/flow/$id', params, replace: true });
  },
});

export const flowRoutes = [flows, flow, oldFlow] as const;
