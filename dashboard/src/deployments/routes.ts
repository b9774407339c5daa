/** The addresses of deployments. The Prefect client prints that of one deployment. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../shell/root-route.ts';

const deployment = createRoute({
  getParentRoute: () => rootRoute,
  path: '/deployments/deployment/$id',
  component: lazyRouteComponent(() => import('./deployment-page.tsx'), 'DeploymentPage'),
});

const runDeployment = createRoute({
  getParentRoute: () => rootRoute,
  path: '/deployments/deployment/$id/run',
  component: lazyRouteComponent(() => import('./run-page.tsx'), 'RunPage'),
});

export const deploymentRoutes = [deployment, runDeployment] as const;
