/** The addresses of blocks. The Prefect client prints those of a block and of the catalog. */
import { createRoute, redirect } from '@tanstack/react-router';
import { page } from '../shell/page.ts';
import { rootRoute } from '../shell/root-route.ts';
import { text } from '../shell/search.ts';
import { blocksSearch } from './blocks-search.ts';

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

export const blockRoutes = [
  createRoute(page('/blocks', () => import('./blocks-page.tsx'), 'BlocksPage', blocksSearch)),
  createRoute(page('/blocks/block/$id', () => import('./block-page.tsx'), 'BlockPage')),
  createRoute(page('/blocks/block/$id/edit', () => import('./edit-page.tsx'), 'EditBlockPage')),
  createRoute(page('/blocks/catalog', () => import('./catalog-page.tsx'), 'CatalogPage', { name: text })),
  createRoute(page('/blocks/catalog/$slug', () => import('./type-page.tsx'), 'BlockTypePage')),
  createRoute(page('/blocks/catalog/$slug/create', () => import('./create-page.tsx'), 'CreateBlockPage')),
  oldCatalog,
  oldCreate,
] as const;
