/** The pages of the people and programs of an organization. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../shell/root-route.ts';
import { text } from '../shell/search.ts';

export interface PeopleSearch {
  /** `invitations`, `service-accounts` or `keys`; members when absent. */
  readonly tab?: string | undefined;
  /** Slug; the organization of the workspace when absent. */
  readonly organization?: string | undefined;
  /** A part of the name or of the address of a member. */
  readonly name?: string | undefined;
}

const validateSearch = (search: Record<string, unknown>): PeopleSearch => ({
  tab: text(search['tab']),
  organization: text(search['organization']),
  name: text(search['name']),
});

const people = createRoute({
  getParentRoute: () => rootRoute,
  path: '/people',
  validateSearch,
  component: lazyRouteComponent(() => import('./people-page.tsx'), 'PeoplePage'),
});

const serviceAccount = createRoute({
  getParentRoute: () => rootRoute,
  path: '/people/service-account/$id',
  validateSearch,
  component: lazyRouteComponent(() => import('./service-account-page.tsx'), 'ServiceAccountPage'),
});

export const peopleRoutes = [people, serviceAccount] as const;
