import { createRoute } from '@tanstack/react-router';
import { page } from '../shell/page.ts';
import { requestsSearch } from './request-fields.ts';

export const requestRoutes = [
  createRoute(page('/requests', () => import('./requests-page.tsx'), 'RequestsPage', requestsSearch)),
] as const;
