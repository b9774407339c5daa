import { createRoute, redirect } from '@tanstack/react-router';
import { page } from '../shell/page.ts';
import { rootRoute } from '../shell/root-route.ts';

/** The address in the reference's dashboard. */
const dashboard = createRoute({
  getParentRoute: () => rootRoute,
  path: '/dashboard',
  beforeLoad: () => {
    throw redirect({ to: '/', replace: true });
  },
});

export const homeRoutes = [createRoute(page('/', () => import('./home-page.tsx'), 'HomePage')), dashboard] as const;
