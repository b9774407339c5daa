/** The addresses of events. The Prefect client prints that of one event, with the day on which it occurred. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../shell/root-route.ts';
import { text } from '../shell/search.ts';

export interface EventsSearch {
  /** Beginnings of event names, separated by commas. */
  readonly event?: string | undefined;
  /** Beginning of the id of a resource that takes part in the event. */
  readonly resource?: string | undefined;
  /** Words that the event contains. */
  readonly q?: string | undefined;
  /** `1h`, `24h`, `7d`, or two times with a slash between them. */
  readonly span?: string | undefined;
}

const events = createRoute({
  getParentRoute: () => rootRoute,
  path: '/events',
  validateSearch: (search: Record<string, unknown>): EventsSearch => ({
    event: text(search['event']),
    resource: text(search['resource']),
    q: text(search['q']),
    span: text(search['span']),
  }),
  component: lazyRouteComponent(() => import('./events-page.tsx'), 'EventsPage'),
});

const event = createRoute({
  getParentRoute: () => rootRoute,
  path: '/events/event/$date/$id',
  component: lazyRouteComponent(() => import('./event-page.tsx'), 'EventPage'),
});

export const eventRoutes = [events, event] as const;
