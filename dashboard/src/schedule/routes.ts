/** The address of the schedule of all deployments. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../shell/root-route.ts';
import { text } from '../shell/search.ts';

export interface ScheduleSearch {
  /** `UTC`, a zone of the IANA database, or absent for the reader's zone. */
  readonly zone?: string | undefined;
  readonly name?: string | undefined;
}

const schedule = createRoute({
  getParentRoute: () => rootRoute,
  path: '/schedule',
  validateSearch: (search: Record<string, unknown>): ScheduleSearch => ({
    zone: text(search['zone']),
    name: text(search['name']),
  }),
  component: lazyRouteComponent(() => import('./schedule-page.tsx'), 'SchedulePage'),
});

export const scheduleRoutes = [schedule] as const;
