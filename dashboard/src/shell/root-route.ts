/** The parent route of every page. */
import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext } from '@tanstack/react-router';
import { NotFoundPage } from './not-found-page.tsx';
import { Shell } from './shell.tsx';

interface Context {
  readonly queries: QueryClient;
}

export const rootRoute = createRootRouteWithContext<Context>()({ component: Shell, notFoundComponent: NotFoundPage });
