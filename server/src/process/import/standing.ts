/** Schedules and automations arrive switched off. Who switched off one that is here tells whether an import may activate it. */
import type { Timestamp } from '../../values/time.ts';

interface Switched {
  readonly active: boolean;
  readonly updated: Timestamp;
  /** A person paused it. */
  readonly paused?: boolean | null;
}

/** `updated`: of the object in the source. What was changed here is younger than it was when it was brought. */
export function standingHere(here: Switched | undefined, updated: Timestamp): 'active' | 'as brought' | 'switched off' {
  if (here?.active) return 'active';
  return here && (here.paused || here.updated > updated) ? 'switched off' : 'as brought';
}
