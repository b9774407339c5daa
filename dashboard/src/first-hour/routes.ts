import { createRoute } from '@tanstack/react-router';
import { page } from '../shell/page.ts';

export const firstHourRoutes = [
  createRoute(page('/first-hour', () => import('./first-hour-page.tsx'), 'FirstHourPage')),
] as const;
