/** The addresses of blocks. The Prefect client prints those of a block and of the catalog. */
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { rootRoute } from '../shell/root-route.ts';
import { text } from '../shell/search.ts';

export interface BlocksSearch {
  /** A part of the name. */
  readonly name?: string | undefined;
  /** Slug of a type. */
  readonly type?: string | undefined;
}

const blocks = createRoute({
  getParentRoute: () => rootRoute,
  path: '/blocks',
  validateSearch: (search: Record<string, unknown>): BlocksSearch => ({
    name: text(search['name']),
    type: text(search['type']),
  }),
  component: lazyRouteComponent(() => import('./blocks-page.tsx'), 'BlocksPage'),
});

const block = createRoute({
  getParentRoute: () => rootRoute,
  path: '/blocks/block/$id',
  component: lazyRouteComponent(() => import('./block-page.tsx'), 'BlockPage'),
});

const edit = createRoute({
  getParentRoute: () => rootRoute,
  path: '/blocks/block/$id/edit',
  component: lazyRouteComponent(() => import('./edit-page.tsx'), 'EditBlockPage'),
});

const catalog = createRoute({
  getParentRoute: () => rootRoute,
  path: '/blocks/catalog',
  validateSearch: (search: Record<string, unknown>): Pick<BlocksSearch, 'name'> => ({ name: text(search['name']) }),
  component: lazyRouteComponent(() => import('./catalog-page.tsx'), 'CatalogPage'),
});

const type = createRoute({
  getParentRoute: () => rootRoute,
  path: '/blocks/catalog/$slug',
  component: lazyRouteComponent(() => import('./type-page.tsx'), 'BlockTypePage'),
});

const create = createRoute({
  getParentRoute: () => rootRoute,
  path: '/blocks/catalog/$slug/create',
  component: lazyRouteComponent(() => import('./create-page.tsx'), 'CreateBlockPage'),
});

/** The address in some versions of the client. */
const oldCatalog = createRoute({
  getParentRoute: () => rootRoute,
  path: '/settings/blocks/catalog',
  beforeLoad: () => {
    throw redirect({ to: '/blocks/catalog', replace: true });
  },
});

const oldCreate = createRoute({
  getParentRoute: () => rootRoute,
  path: '/settings/blocks/catalog/$slug/create',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/blocks/catalog/$slug/create', params, replace: true });
  },
});

export const blockRoutes = [blocks, block, edit, catalog, type, create, oldCatalog, oldCreate] as const;
