/** The addresses of flows. The Prefect client prints the one of a single flow. */
import { createRoute, redirect } from '@tanstack/react-router';
import { page } from '../shell/page.ts';
import { rootRoute } from '../shell/root-route.ts';
import { text } from '../shell/search.ts';
import { flowsSearch } from './flows-search.ts';

/** The address in older dashboards. */
const oldFlow = createRoute({
  getParentRoute: () => rootRoute,
  path: '/flow/$id',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/flows/flow/$id', params, replace: true });
  },
});

export const flowRoutes = [
  createRoute(page('/flows', () => import('./flows-page.tsx'), 'FlowsPage', flowsSearch)),
  createRoute(page('/flows/flow/$id', () => import('./flow-page.tsx'), 'FlowPage', { tab: text })),
  oldFlow,
] as const;
