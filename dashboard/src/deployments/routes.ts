/** The addresses of deployments. The Prefect client prints the one of a single deployment. */
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { rootRoute } from '../shell/root-route.ts';
import { text } from '../shell/search.ts';

export interface DeploymentsSearch {
  readonly name?: string | undefined;
  readonly tag?: string | undefined;
  /** Name of a work pool. */
  readonly pool?: string | undefined;
  readonly paused?: 'yes' | 'no' | undefined;
}

function yesOrNo(value: unknown): 'yes' | 'no' | undefined {
  return value === 'yes' || value === 'no' ? value : undefined;
}

const deployments = createRoute({
  getParentRoute: () => rootRoute,
  path: '/deployments',
  validateSearch: (search: Record<string, unknown>): DeploymentsSearch => ({
    name: text(search['name']),
    tag: text(search['tag']),
    pool: text(search['pool']),
    paused: yesOrNo(search['paused']),
  }),
  component: lazyRouteComponent(() => import('./deployments-page.tsx'), 'DeploymentsPage'),
});

const deployment = createRoute({
  getParentRoute: () => rootRoute,
  path: '/deployments/deployment/$id',
  validateSearch: (search: Record<string, unknown>): { readonly tab?: string | undefined } => ({
    tab: text(search['tab']),
  }),
  component: lazyRouteComponent(() => import('./deployment-page.tsx'), 'DeploymentPage'),
});

const runDeployment = createRoute({
  getParentRoute: () => rootRoute,
  path: '/deployments/deployment/$id/run',
  /** `from` is the id of a run whose parameters prefill the form. */
  validateSearch: (search: Record<string, unknown>): { readonly from?: string | undefined } => ({
    from: text(search['from']),
  }),
  component: lazyRouteComponent(() => import('./run-page.tsx'), 'RunPage'),
});

const backfillDeployment = createRoute({
  getParentRoute: () => rootRoute,
  path: '/deployments/deployment/$id/backfill',
  component: lazyRouteComponent(() => import('./backfill-page.tsx'), 'BackfillPage'),
});

const editDeployment = createRoute({
  getParentRoute: () => rootRoute,
  path: '/deployments/deployment/$id/edit',
  component: lazyRouteComponent(() => import('./edit-page.tsx'), 'EditPage'),
});

const duplicateDeployment = createRoute({
  getParentRoute: () => rootRoute,
  path: '/deployments/deployment/$id/duplicate',
  component: lazyRouteComponent(() => import('./edit-page.tsx'), 'DuplicatePage'),
});

/** The address in older dashboards. */
const oldDeployment = createRoute({
  getParentRoute: () => rootRoute,
  path: '/deployment/$id',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/deployments/deployment/$id', params, replace: true });
  },
});

export const deploymentRoutes = [
  deployments,
  deployment,
  runDeployment,
  backfillDeployment,
  editDeployment,
  duplicateDeployment,
  oldDeployment,
] as const;
