/** The addresses of events. The Prefect client prints the one of a single event, with the day on which it occurred. */
import { createRoute } from '@tanstack/react-router';
import { page } from '../shell/page.ts';
import { eventsSearch } from './event-fields.ts';

export const eventRoutes = [
  createRoute(page('/events', () => import('./events-page.tsx'), 'EventsPage', eventsSearch)),
  createRoute(page('/events/event/$date/$id', () => import('./event-page.tsx'), 'EventPage')),
] as const;
