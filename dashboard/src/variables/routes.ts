/** The address of variables. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../shell/root-route.ts';
import { flag, text } from '../shell/search.ts';

export interface VariablesSearch {
  /** A part of the name. */
  readonly name?: string | undefined;
  readonly tag?: string | undefined;
  /** The dialog that makes one is open. */
  readonly new?: true | undefined;
}

const variables = createRoute({
  getParentRoute: () => rootRoute,
  path: '/variables',
  validateSearch: (search: Record<string, unknown>): VariablesSearch => ({
    name: text(search['name']),
    tag: text(search['tag']),
    new: flag(search['new']),
  }),
  component: lazyRouteComponent(() => import('./variables-page.tsx'), 'VariablesPage'),
});

export const variableRoutes = [variables] as const;
