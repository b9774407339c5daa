/** The list of what is served, and nothing else. */
import type { Route } from './http/route.ts';
import { flowRoutes } from './orchestration/flows/routes.ts';

export const routes: readonly Route[] = [...flowRoutes];
