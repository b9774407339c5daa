import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../shell/root-route.ts';
import { text } from '../shell/search.ts';
import { outcomes, type RequestsSearch } from './filters.ts';

const requests = createRoute({
  getParentRoute: () => rootRoute,
  path: '/requests',
  validateSearch: (search: Record<string, unknown>): RequestsSearch => ({
    server: text(search['server']),
    actor: text(search['actor']),
    capability: text(search['capability']),
    method: text(search['method']),
    client: text(search['client']),
    outcome: outcomes.find((one) => one === search['outcome']),
    errors: search['errors'] === true || undefined,
    span: text(search['span']),
    open: text(search['open']),
  }),
  component: lazyRouteComponent(() => import('./requests-page.tsx'), 'RequestsPage'),
});

export const requestRoutes = [requests] as const;
