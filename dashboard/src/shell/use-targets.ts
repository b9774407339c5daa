import { useAccess } from '../api/access.ts';
import { offeredActions } from './page-actions.ts';
import { targetsOf } from './palette-targets.ts';
import { usePlaces } from './use-places.ts';

/** What the palette offers for this text, to this person and on this page. */
export function useTargets(text: string): ReturnType<typeof targetsOf> {
  const permissions = useAccess()?.permissions ?? [];
  return targetsOf(text, { places: usePlaces().flat(), permissions, actions: offeredActions() });
}
