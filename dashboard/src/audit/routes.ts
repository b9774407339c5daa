/** The page of the audit of an organization. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../shell/root-route.ts';
import { text } from '../shell/search.ts';

export interface AuditSearch {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly target?: string | undefined;
  /** `24h`, `7d` or `30d`; all entries when absent. */
  readonly span?: string | undefined;
  /** Slug; the organization of the workspace when absent. */
  readonly organization?: string | undefined;
}

const audit = createRoute({
  getParentRoute: () => rootRoute,
  path: '/audit',
  validateSearch: (search: Record<string, unknown>): AuditSearch => ({
    actor: text(search['actor']),
    action: text(search['action']),
    target: text(search['target']),
    span: text(search['span']),
    organization: text(search['organization']),
  }),
  component: lazyRouteComponent(() => import('./audit-page.tsx'), 'AuditPage'),
});

export const auditRoutes = [audit] as const;
