/** The addresses of events. The Prefect client prints the one of a single event, with the day on which it occurred. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../shell/root-route.ts';
import { readEventsSearch } from './events-search.ts';

const events = createRoute({
  getParentRoute: () => rootRoute,
  path: '/events',
  validateSearch: readEventsSearch,
  component: lazyRouteComponent(() => import('./events-page.tsx'), 'EventsPage'),
});

const event = createRoute({
  getParentRoute: () => rootRoute,
  path: '/events/event/$date/$id',
  component: lazyRouteComponent(() => import('./event-page.tsx'), 'EventPage'),
});

export const eventRoutes = [events, event] as const;
