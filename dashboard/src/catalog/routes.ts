/** The catalog of MCP servers, and requests for access to them. */
import { createRoute } from '@tanstack/react-router';
import { page } from '../shell/page.ts';
import { catalogSearch } from './catalog-search.ts';

export const catalogRoutes = [
  createRoute(page('/catalog', () => import('./catalog-page.tsx'), 'CatalogPage', catalogSearch)),
  createRoute(page('/catalog/$server', () => import('./entry-page.tsx'), 'EntryPage')),
] as const;
