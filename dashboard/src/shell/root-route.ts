/** The parent route of every page. */
import { createRootRoute } from '@tanstack/react-router';
import { NotFoundPage } from './not-found-page.tsx';
import { Shell } from './shell.tsx';

export const rootRoute = createRootRoute({ component: Shell, notFoundComponent: NotFoundPage });
