/** The addresses of webhooks. */
import { createRoute } from '@tanstack/react-router';
import { page } from '../shell/page.ts';
import { flag } from '../shell/search.ts';

export const webhookRoutes = [
  /** `new`: the dialog that makes one is open. */
  createRoute(page('/webhooks', () => import('./webhooks-page.tsx'), 'WebhooksPage', { new: flag })),
  createRoute(page('/webhooks/webhook/$id', () => import('./webhook-page.tsx'), 'WebhookPage')),
] as const;
