/** The address of the schedule of all deployments. */
import { createRoute } from '@tanstack/react-router';
import { page } from '../shell/page.ts';
import { text } from '../shell/search.ts';

const search = {
  /** `UTC`, a zone of the IANA database, or absent for the reader's zone. */
  zone: text,
  name: text,
};

export const scheduleRoutes = [
  createRoute(page('/schedule', () => import('./schedule-page.tsx'), 'SchedulePage', search)),
] as const;
