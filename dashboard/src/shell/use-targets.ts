import { useAccess } from '../api/access.ts';
import { offeredActions } from './page-actions.ts';
import { targetsOf } from './palette-targets.ts';
import { usePlaces } from './use-places.ts';

/** The entries of the palette for this text, person and page. */
export function useTargets(text: string): ReturnType<typeof targetsOf> {
  const permissions = useAccess()?.permissions ?? [];
  return targetsOf(text, { places: usePlaces().flat(), permissions, actions: offeredActions() });
}
