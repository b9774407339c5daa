/** The addresses of artifacts. The Prefect client prints the one of a single artifact. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../shell/root-route.ts';
import { text } from '../shell/search.ts';

export interface ArtifactsSearch {
  /** A part of the key. */
  readonly q?: string | undefined;
  readonly type?: string | undefined;
}

const artifacts = createRoute({
  getParentRoute: () => rootRoute,
  path: '/artifacts',
  validateSearch: (search: Record<string, unknown>): ArtifactsSearch => ({
    q: text(search['q']),
    type: text(search['type']),
  }),
  component: lazyRouteComponent(() => import('./artifacts-page.tsx'), 'ArtifactsPage'),
});

const artifactKey = createRoute({
  getParentRoute: () => rootRoute,
  path: '/artifacts/key/$key',
  validateSearch: (search: Record<string, unknown>): { readonly version?: string | undefined } => ({
    version: text(search['version']),
  }),
  component: lazyRouteComponent(() => import('./key-page.tsx'), 'KeyPage'),
});

const artifact = createRoute({
  getParentRoute: () => rootRoute,
  path: '/artifacts/artifact/$id',
  component: lazyRouteComponent(() => import('./artifact-page.tsx'), 'ArtifactPage'),
});

export const artifactRoutes = [artifacts, artifactKey, artifact] as const;
