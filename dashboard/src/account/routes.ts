/** The pages of the signed-in person. */
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { rootRoute } from '../shell/root-route.ts';
import { text } from '../shell/search.ts';

export interface AccountSearch {
  readonly tab?: string | undefined;
}

const account = createRoute({
  getParentRoute: () => rootRoute,
  path: '/account',
  validateSearch: (search: Record<string, unknown>): AccountSearch => ({ tab: text(search['tab']) }),
  component: lazyRouteComponent(() => import('./account-page.tsx'), 'AccountPage'),
});

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

export const accountRoutes = [account, keys, ownKeys] as const;
