/** The pages of the people and programs of an organization. */
import { createRoute } from '@tanstack/react-router';
import { page } from '../shell/page.ts';
import { text } from '../shell/search.ts';

const search = {
  /** `invitations`, `service-accounts` or `keys`; members when absent. */
  tab: text,
  /** Slug; the organization of the workspace when absent. */
  organization: text,
  /** A part of the name or of the address of a member. */
  name: text,
};
const one = '/people/service-account/$id';

export const peopleRoutes = [
  createRoute(page('/people', () => import('./people-page.tsx'), 'PeoplePage', search)),
  createRoute(page(one, () => import('./service-account-page.tsx'), 'ServiceAccountPage', search)),
] as const;
