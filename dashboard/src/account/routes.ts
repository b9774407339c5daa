/** The pages of the signed-in person. */
import { createRoute, redirect } from '@tanstack/react-router';
import { page } from '../shell/page.ts';
import { rootRoute } from '../shell/root-route.ts';
import { text } from '../shell/search.ts';

const keys = createRoute({
  getParentRoute: () => rootRoute,
  path: '/account/keys',
  beforeLoad: () => {
    throw redirect({ to: '/account', search: { tab: 'keys' }, replace: true });
  },
});

/** The address in Prefect Cloud. */
const ownKeys = createRoute({
  getParentRoute: () => rootRoute,
  path: '/my/api-keys',
  beforeLoad: () => {
    throw redirect({ to: '/account', search: { tab: 'keys' }, replace: true });
  },
});

export const accountRoutes = [
  createRoute(page('/account', () => import('./account-page.tsx'), 'AccountPage', { tab: text })),
  keys,
  ownKeys,
] as const;
