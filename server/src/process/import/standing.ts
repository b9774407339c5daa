/**
 * Schedules and automations are imported inactive. An import may activate an existing one only if no person has
 * switched it off here.
 */
import type { Timestamp } from '../../values/time.ts';

interface Switched {
  readonly active: boolean;
  readonly updated: Timestamp;
  /** A person paused it. */
  readonly paused?: boolean | null;
}

/** `updated` is the time of the object in the source. An object that was changed here has a later time. */
export function standingHere(here: Switched | undefined, updated: Timestamp): 'active' | 'as brought' | 'switched off' {
  if (here?.active) return 'active';
  return here && (here.paused || here.updated > updated) ? 'switched off' : 'as brought';
}
