import type { Route } from './route.ts';

/** Ids in paths may omit their dashes, as in the reference. */
const UUID_SEGMENT = '^[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}$';
/** Tested on the decoded segment, so `%2F` separates segments, as in the reference. No name contains a NUL. */
const TEXT_SEGMENT = '^[^/\\0]+$';

/** The router's form of a declared path. */
export function urlOf(route: Pick<Route, 'path' | 'parameters'>): string {
  return route.path.replace(
    /\{(\w+)\}/g,
    (_, name: string) => `:${name}(${(route.parameters?.[name] ?? 'uuid') === 'uuid' ? UUID_SEGMENT : TEXT_SEGMENT})`,
  );
}
