import { useAccess } from '../api/access.ts';
import { openPlaces, type Place } from './navigation.ts';

/** The places that this person may open. */
export function usePlaces(): readonly (readonly Place[])[] {
  return openPlaces(useAccess());
}
