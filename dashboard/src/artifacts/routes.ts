/** The addresses of artifacts. The Prefect client prints the one of a single artifact. */
import { createRoute } from '@tanstack/react-router';
import { page } from '../shell/page.ts';
import { text } from '../shell/search.ts';

const search = {
  /** A part of the key. */
  q: text,
  type: text,
};

export const artifactRoutes = [
  createRoute(page('/artifacts', () => import('./artifacts-page.tsx'), 'ArtifactsPage', search)),
  createRoute(page('/artifacts/key/$key', () => import('./key-page.tsx'), 'KeyPage', { version: text })),
  createRoute(page('/artifacts/artifact/$id', () => import('./artifact-page.tsx'), 'ArtifactPage')),
] as const;
