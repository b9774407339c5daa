/** The addresses of deployments. The Prefect client prints the one of a single deployment. */
import { createRoute, redirect } from '@tanstack/react-router';
import { page } from '../shell/page.ts';
import { rootRoute } from '../shell/root-route.ts';
import { oneOf, text } from '../shell/search.ts';

const search = {
  name: text,
  tag: text,
  /** Name of a work pool. */
  pool: text,
  paused: oneOf('yes', 'no'),
};

const one = '/deployments/deployment/$id';

/** The address in older dashboards. */
const oldDeployment = createRoute({
  getParentRoute: () => rootRoute,
  path: '/deployment/$id',
  beforeLoad: ({ params }) => {
    throw redirect({ to: one, params, replace: true });
  },
});

export const deploymentRoutes = [
  createRoute(page('/deployments', () => import('./deployments-page.tsx'), 'DeploymentsPage', search)),
  createRoute(page(one, () => import('./deployment-page.tsx'), 'DeploymentPage', { tab: text })),
  /** `from` is the id of a run whose parameters prefill the form. */
  createRoute(page(`${one}/run`, () => import('./run-page.tsx'), 'RunPage', { from: text })),
  createRoute(page(`${one}/backfill`, () => import('./backfill-page.tsx'), 'BackfillPage')),
  createRoute(page(`${one}/edit`, () => import('./edit-page.tsx'), 'EditPage')),
  createRoute(page(`${one}/duplicate`, () => import('./edit-page.tsx'), 'DuplicatePage')),
  oldDeployment,
] as const;
