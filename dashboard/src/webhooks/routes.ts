/** The addresses of webhooks. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../shell/root-route.ts';
import { flag } from '../shell/search.ts';

interface WebhooksSearch {
  /** The dialog that makes one is open. */
  readonly new?: true | undefined;
}

const webhooks = createRoute({
  getParentRoute: () => rootRoute,
  path: '/webhooks',
  validateSearch: (search: Record<string, unknown>): WebhooksSearch => ({ new: flag(search['new']) }),
  component: lazyRouteComponent(() => import('./webhooks-page.tsx'), 'WebhooksPage'),
});

const webhook = createRoute({
  getParentRoute: () => rootRoute,
  path: '/webhooks/webhook/$id',
  component: lazyRouteComponent(() => import('./webhook-page.tsx'), 'WebhookPage'),
});

export const webhookRoutes = [webhooks, webhook] as const;
