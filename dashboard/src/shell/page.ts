/** Declares a page: its address, what stands after `?` in it, and the file that is loaded for it. */
import { lazyRouteComponent, type RouteComponent } from '@tanstack/react-router';
import { rootRoute } from './root-route.ts';
import { type Reads, readSearch, type SearchOf } from './search.ts';

/**
 * The options of `createRoute`. The type of the component stays unknown: the types of a page come from all routes, so
 * TypeScript would run in a circle with it, and `useSearch()` would silently become `any`. The page of variables proves
 * that it does not.
 */
export function page<const Path extends string, Name extends string, R extends Reads = Record<never, never>>(
  path: Path,
  load: () => Promise<Record<Name, unknown>>,
  name: Name,
  reads: R = {} as R,
) {
  return {
    getParentRoute: () => rootRoute,
    path,
    validateSearch: (search: Record<string, unknown>): SearchOf<R> => readSearch(reads, search),
    component: lazyRouteComponent(load as never, name) as RouteComponent,
  };
}
