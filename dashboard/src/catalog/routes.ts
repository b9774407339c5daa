/** The catalog of MCP servers, and requests for access to them. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../shell/root-route.ts';
import { text } from '../shell/search.ts';
import { isKind, type Kind } from './queries.ts';

export interface CatalogSearch {
  readonly tab?: string | undefined;
  readonly name?: string | undefined;
  readonly kind?: Kind | undefined;
  /** The state of the listed requests; open ones when absent. */
  readonly state?: string | undefined;
}

const catalog = createRoute({
  getParentRoute: () => rootRoute,
  path: '/catalog',
  validateSearch: (search: Record<string, unknown>): CatalogSearch => ({
    tab: text(search['tab']),
    name: text(search['name']),
    kind: isKind(search['kind']) ? search['kind'] : undefined,
    state: text(search['state']),
  }),
  component: lazyRouteComponent(() => import('./catalog-page.tsx'), 'CatalogPage'),
});

const entry = createRoute({
  getParentRoute: () => rootRoute,
  path: '/catalog/$server',
  component: lazyRouteComponent(() => import('./entry-page.tsx'), 'EntryPage'),
});

export const catalogRoutes = [catalog, entry] as const;
